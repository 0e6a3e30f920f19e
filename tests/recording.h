// SPDX-License-Identifier: Apache-2.0
//
// Programs that a test compiles, records by `flarestack record`, and looks at.
//
//   const std::string program = Compile(folder, {.name = "deep", .source = "..."});
//   const Recording recording = Record(folder, {"-F", "499"}, {program});
//   EXPECT_GT(recording.CountWith("deep", {"main", "Inner"}), 0);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "run_program.h"

namespace flarestack::testing {

struct ProgramOptions {
  std::string name;  // at most 15 bytes: the kernel's name of the process
  std::string source;
  std::string compiler = "gcc";  // g++ and clang++ take C++
  std::string flags = "-O2";
};

// Whether the whole machine is emulated (FLARESTACK_EMULATED is set), and so slow that the recorder
// is late: its tables are made after the first samples, and a high rate of samples takes all the
// time there is. Record() then samples a tenth as often, programs run ten times as long, and
// samples that came before their tables are left out.
bool IsEmulated();

// In front of every source: Burn(seconds) spins for so much processor time of its thread, and
// kSeconds is how long a program shall do so in all. Used() is what its thread has used so far, and
// Stolen() what the host of a virtual machine took from all its processors: both in seconds.
// NOINLINE functions keep their frame as long as they end with KEEP_FRAME.
std::string Preamble();

// Compiles into `folder`; the path of the program. A failure of the compiler fails the test.
std::string Compile(const TemporaryFolder& folder, const ProgramOptions& options);

// Whether the shell finds it.
bool HasProgram(const std::string& name);

struct RecordedSample {
  std::string type;        // "cpu", "samples", "off_cpu"
  std::string command;     // thread.name
  std::string state;       // off_cpu.state; empty on the processor
  std::string executable;  // of the resource
  int64_t pid = 0;
  int64_t weight = 0;
  std::vector<int64_t> values = {};  // that it is the sum of
  std::vector<std::string> user;     // names of frames, root first
  std::vector<std::string> kernel;   // the same
  std::vector<bool> has_build_id;    // as `user`
  bool IsComplete() const;           // walked to the outermost frame
  bool IsBetweenPrograms() const;    // in exec or at its end, where it has no memory to walk
};

// What was recorded of the processes of one name while they had a stack.
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

  // Samples (as "samples" counts them) of processes with this name.
  Share CompleteOf(std::string_view command) const;
  // How many of them have these functions in this order, root first, others between them.
  int64_t CountWith(std::string_view command, const std::vector<std::string>& functions) const;
};

// `flarestack record FLAGS -o FILE -- COMMAND`, read back by our own codec.
Recording Record(const TemporaryFolder& folder, const std::vector<std::string>& flags,
                 const std::vector<std::string>& command, const RunOptions& options = {});

std::vector<RecordedSample> ReadSamples(const std::string& path);

bool HasInOrder(const std::vector<std::string>& frames, const std::vector<std::string>& functions);

// Of a shell: waits until the programs of the recorder whose process number is in $recorder are
// attached, or it has ended.
std::string_view UntilItRecords();

// Root first, with ";" between.
std::string StackText(const RecordedSample& sample);

}  // namespace flarestack::testing
