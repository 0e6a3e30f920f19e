// SPDX-License-Identifier: Apache-2.0
//
// Compiles programs, records them with `flarestack record`, and reads the recordings.
//
//   const std::string program = Compile(folder, {.name = "deep", .source = "..."});
//   const Recording recording = Record(folder, {"-F", "499"}, {program});
//   EXPECT_GT(recording.CountWith("deep", {"main", "Inner"}), 0);
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/run_program.h"

namespace flarestack::testing {

struct ProgramOptions {
  std::string name;  // at most 15 bytes, the kernel's limit for process names
  std::string source;
  std::string compiler = "gcc";  // g++ and clang++ compile C++
  std::string flags = "-O2";
};

// Whether the whole machine is emulated (FLARESTACK_EMULATED is set), and so slow that the recorder
// lags: it builds tables after the first samples, and a high sample rate would use all CPU time.
// Record() then samples a tenth as often, programs run ten times as long, and samples taken before
// their tables existed are ignored.
bool IsEmulated();

// Precedes every source. Burn(seconds) spins for this much CPU time of its thread, and kSeconds is
// how long a program should spin in total. Used() is the CPU time of the thread so far, and
// Stolen() the time that the host of a virtual machine took from all its CPUs: both in seconds.
// NOINLINE functions keep their frame if they end with KEEP_FRAME.
std::string Preamble();

// Compiles into `folder` and returns the path of the program. A compiler error fails the test.
std::string Compile(const TemporaryFolder& folder, const ProgramOptions& options);

// Whether the shell finds the program.
bool HasProgram(const std::string& name);

struct RecordedSample {
  std::string type;        // "cpu", "samples", "off_cpu"
  std::string command;     // thread.name
  std::string state;       // off_cpu.state; empty for on-CPU samples
  std::string executable;  // of the resource
  std::string service;     // service.name, and in parentheses the rule that gave it
  std::string runtime;     // process.runtime.name and version
  int64_t pid = 0;
  int64_t weight = 0;
  std::vector<int64_t> values = {};                    // the parts of `weight`
  std::vector<std::string> user;                       // frame names, root first
  std::vector<std::string> kernel;                     // the same
  std::vector<bool> has_build_id;                      // for each entry of `user`
  std::map<std::string, std::string> attributes = {};  // of the sample, numbers as text
  bool IsComplete() const;                             // unwound to the outermost frame
  bool IsBetweenPrograms() const;  // in exec or at exit, where there is no memory to unwind
};

// Samples of the processes of one name, taken while they had a stack.
struct Share {
  int64_t all = 0;
  int64_t complete = 0;
  std::vector<std::string> incomplete = {};  // stacks, root first
  double complete_share() const {
    return all == 0 ? 0 : static_cast<double>(complete) / static_cast<double>(all);
  }
};

struct Recording {
  RunResult run;
  std::string path;
  std::vector<RecordedSample> samples;

  // Samples of processes with this name, as counted by the type "samples".
  Share CompleteOf(std::string_view command) const;
  // How many of them have these functions in this order, root first, possibly with others between
  // them.
  int64_t CountWith(std::string_view command, const std::vector<std::string>& functions) const;
};

// Runs `flarestack record FLAGS -o FILE -- COMMAND`, and reads the file with our own codec.
Recording Record(const TemporaryFolder& folder, const std::vector<std::string>& flags,
                 const std::vector<std::string>& command, const RunOptions& options = {});

std::vector<RecordedSample> ReadSamples(const std::string& path);

bool HasInOrder(const std::vector<std::string>& frames, const std::vector<std::string>& functions);

// Shell code that waits until the BPF programs of the recorder with the pid $recorder are attached,
// or the recorder has ended.
std::string_view UntilItRecords();

// Root first, separated by ";".
std::string StackText(const RecordedSample& sample);

}  // namespace flarestack::testing
