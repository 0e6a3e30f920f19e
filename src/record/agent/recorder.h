// SPDX-License-Identifier: Apache-2.0
//
// The recorder of this host: the kernel's side and the user's side together.
//
//   FLARE_ASSIGN(auto recorder, Recorder::Create(options));
//   FLARE_RETURN_IF_ERROR(recorder->Begin());
//   while (...) recorder->Step(100ms);
//   FLARE_ASSIGN(const model::Batch batch, recorder->Take());
//
// Used by one thread. Frames have addresses and ids of files; symbols are looked up by others.
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
#include "record/trace/profile_writer.h"

namespace flarestack::record::agent {

struct RecorderOptions {
  uint32_t frequency_hz = 19;
  ProfileTypes types;
  uint64_t counted_period = 0;  // see CountedRate
  Choice choice;
  std::vector<int> processors;  // to record on; empty: all
  Grouping grouping = Grouping::kProcess;
  bool has_timestamps = true;
  uint64_t memory_bytes_max = uint64_t{64} << 20;  // of samples that were not taken yet
  bool keeps_files = false;  // that were met, for their symbols: see OpenFiles
  // A process of one's own, which can be recorded without privileges as well, in a lesser way; 0:
  // there is none.
  pid_t own_process = 0;
  bool avoids_loop = false;      // see KernelSideOptions
  bool avoids_programs = false;  // as if there were no privileges
};

struct RecorderStats {
  uint64_t samples = 0;  // on the processor
  uint64_t waits = 0;    // threads that left their processor
  uint64_t waits_recorded = 0;
  uint64_t lost = 0;          // samples on the processor, for want of room
  uint64_t lost_waits = 0;    // the same of waits, or of their ends
  uint64_t walked_by_us = 0;  // stacks that the kernel's side could not walk to their end
  std::array<uint64_t, bpf::UNWIND_END_COUNT> ends = {};  // of all walks, by how they ended
  uint64_t processes = 0;
  uint64_t processes_taken = 0;   // that had samples, of all batches together
  uint64_t resources_taken = 0;   // into which they were grouped
  uint64_t processes_merged = 0;  // of processes_taken: see WrittenProfiles::merged_count
  uint64_t files = 0;
  uint64_t mappings_left_out = 0;  // see Processes
  uint64_t pages_loaded = 0;
  uint64_t table_bytes = 0;  // of the kernel's side
  // Without privileges: processor time of all that was recorded, in the kernel too, of which
  // samples have met a part; and how long a thread must run to be met.
  uint64_t own_time_ns = 0;
  uint64_t short_period_ns = 0;
  std::vector<ProgramCost> costs;
};

class Recorder {
 public:
  // Loads programs and tables, and reads what runs. kPermissionDenied, kFailedPrecondition and
  // kUnavailable as the kernel says.
  static absl::StatusOr<std::unique_ptr<Recorder>> Create(const RecorderOptions& options);
  ~Recorder();

  // What cannot be recorded, in words, where privileges are missing; empty when all is.
  const std::string& limits() const;

  // Processes are followed from here on, though nothing is recorded before Begin. For those that
  // wait between the two, calling Step.
  absl::Status Follow();

  // Recording begins.
  absl::Status Begin();

  // Nothing new is recorded; what was is still to be taken.
  void End();

  // Waits for news, at most so long, and deals with them.
  void Step(std::chrono::milliseconds wait_max);

  // Profiles of all that was recorded since the last time.
  absl::StatusOr<model::Batch> Take();

  // Half of the memory for samples is in use: who takes them soon loses none.
  bool is_filling() const;

  // A wait that is expected to last `wait_unit_ns` is always recorded, a shorter one in proportion;
  // so many stacks are copied in a second and on a processor.
  void SetBudget(uint64_t wait_unit_ns, uint32_t stack_copies_max);

  // The files that were recorded: also those that are deleted, or in a container.
  std::vector<RecordedFile> OpenFiles() const;

  // Has the kernel count what our programs cost.
  absl::Status EnableCosts();

  RecorderStats stats() const;
  uint64_t sample_count() const;  // so far

 private:
  struct Impl;
  explicit Recorder(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace flarestack::record::agent
