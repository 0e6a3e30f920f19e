// SPDX-License-Identifier: Apache-2.0
//
// The recorder of this host. Combines the BPF programs with their user-space side.
//
//   FLARE_ASSIGN(auto recorder, Recorder::Create(options));
//   FLARE_RETURN_IF_ERROR(recorder->Begin());
//   while (...) recorder->Step(100ms);
//   FLARE_ASSIGN(const model::Batch batch, recorder->Take());
//
// Used by one thread. User frames carry addresses and file ids; symbols are looked up elsewhere.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/batch.h"
#include "record/code/recorded_files.h"
#include "record/kernel/kernel_side.h"
#include "record/trace/live_stacks.h"
#include "record/trace/profile_writer.h"

namespace flarestack::record::agent {

struct RecorderOptions {
  uint32_t frequency_hz = 19;
  ProfileTypes types;
  uint64_t counted_period = 0;  // see CountedRate
  Choice choice;
  std::vector<int> processors;  // CPUs to record on; empty: all
  Grouping grouping = Grouping::kProcess;
  bool has_timestamps = true;
  bool reads_goroutine_ids = false;                // see KernelSideOptions
  uint64_t memory_bytes_max = uint64_t{64} << 20;  // of samples not yet taken
  bool keeps_files = false;  // keeps sampled files open for symbolization: see OpenFiles
  // A child process, which can also be recorded without privileges, in less detail; 0: none.
  pid_t own_process = 0;
  std::string source_map_folder;  // see runtime::SourceMaps; empty: none
  bool avoids_loop = false;       // see KernelSideOptions
  bool avoids_programs = false;   // behaves as if privileges were missing
};

struct RecorderStats {
  uint64_t samples = 0;  // on-CPU
  uint64_t waits = 0;    // threads that left their CPU
  uint64_t waits_recorded = 0;
  uint64_t lost = 0;          // on-CPU samples, for lack of space
  uint64_t lost_waits = 0;    // waits, or ends of waits, for lack of space
  uint64_t walked_by_us = 0;  // stacks that BPF could not unwind completely
  std::array<uint64_t, bpf::UNWIND_END_COUNT> ends = {};  // of all unwinds, by result
  uint64_t processes = 0;
  uint64_t processes_taken = 0;   // with samples, over all batches
  uint64_t resources_taken = 0;   // into which they were grouped
  uint64_t processes_merged = 0;  // part of processes_taken: see WrittenProfiles::merged_count
  uint64_t files = 0;
  uint64_t mappings_left_out = 0;  // see Processes
  uint64_t pages_loaded = 0;
  uint64_t table_bytes = 0;                   // of BPF maps
  uint64_t language_frames = 0;               // of Python, Java and others; of new stacks
  uint64_t language_frames_unnamed = 0;       // part of language_frames
  uint64_t language_naming_ns = 0;            // CPU time of naming them
  std::vector<std::string> runtime_problems;  // see CodeFiles::RuntimeProblems
  bool lacks_goroutines = false;              // see KernelSide::reads_goroutines
  // Without privileges: the CPU time of everything recorded, including time in the kernel, of which
  // samples cover a part; and how long a thread must run to be sampled.
  uint64_t own_time_ns = 0;
  uint64_t short_period_ns = 0;
  LiveStackCounts own_stops;
  std::vector<ProgramCost> costs;
};

class Recorder {
 public:
  // Loads programs and tables, and scans running processes. Returns kPermissionDenied,
  // kFailedPrecondition or kUnavailable, depending on the kernel's error.
  static absl::StatusOr<std::unique_ptr<Recorder>> Create(const RecorderOptions& options);
  ~Recorder();

  // Describes what cannot be recorded because privileges are missing; empty if everything can.
  const std::string& limits() const;

  // Starts tracking processes; nothing is recorded before Begin. For callers that wait between the
  // two while calling Step.
  absl::Status Follow();

  // Starts recording.
  absl::Status Begin();

  // Stops recording. Samples recorded so far can still be taken.
  void End();

  // Waits up to `wait_max` for events and handles them.
  void Step(std::chrono::milliseconds wait_max);

  // Returns profiles of everything recorded since the last call.
  absl::StatusOr<model::Batch> Take();

  // True if half of the memory for samples is in use. Call Take soon to avoid losing samples.
  bool is_filling() const;

  // A wait that is expected to last `wait_unit_ns` is always recorded, a shorter one with
  // proportional probability. `stack_copies_max` limits stack copies per second and CPU.
  void SetBudget(uint64_t wait_unit_ns, uint32_t stack_copies_max);

  // Returns the recorded files, including files that are deleted or in a container.
  std::vector<RecordedFile> OpenFiles() const;

  // Enables the kernel's run-time statistics for our BPF programs.
  absl::Status EnableCosts();

  RecorderStats stats() const;
  uint64_t sample_count() const;  // so far

 private:
  struct Impl;
  explicit Recorder(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace flarestack::record::agent
