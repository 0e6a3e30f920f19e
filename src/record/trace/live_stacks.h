// SPDX-License-Identifier: Apache-2.0
//
// Stacks with the frames of languages, for recording without BPF programs. The frames of an
// interpreter change at once, so they cannot be read after a sample has been taken. A sample of a
// process with a runtime therefore only triggers: its thread is stopped, and its stack is walked as
// it is at that moment, some 50 microseconds after the sample.
//
//   LiveStacks live(child, &processes, &files, &runtimes);
//   if (const auto end = live.Walk(sample, now, &frames)) ...
//   live.ReleaseLate();   // often while live.has_late()
//
// Not thread-safe: one thread stops all others.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "record/code/code_files.h"
#include "record/code/load_budget.h"
#include "record/process/proc/thread_stopper.h"
#include "record/process/processes.h"
#include "record/runtime/naming/runtimes.h"
#include "record/trace/own_sample.h"

namespace flarestack::record::agent {

struct LiveStackCounts {
  uint64_t walked = 0;
  // Samples of processes with a runtime that have native frames only:
  uint64_t moved = 0;    // the thread slept or was gone, or the sample was too old
  uint64_t skipped = 0;  // the time for stops was used up, or the thread did not stop soon enough
  uint64_t denied = 0;   // the thread cannot be traced
  uint64_t missed() const { return moved + skipped + denied; }
};

class LiveStacks {
 public:
  // Stopping and walking takes at most this share of the calling thread's time, after a burst.
  static constexpr LoadBudget::Options kBudget = {.burst = std::chrono::milliseconds(200),
                                                  .divisor = 5};

  // All must outlive this object. The child is one of the caller.
  LiveStacks(pid_t child, Processes* processes, CodeFiles* files, runtime::Runtimes* runtimes,
             const LoadBudget::Options& budget = kBudget)
      : processes_(*processes),
        files_(*files),
        runtimes_(*runtimes),
        stopper_(child),
        budget_(budget) {}

  // Finds out whether threads of a child can be stopped, by stopping it. Returns kPermissionDenied
  // with the reason.
  static absl::Status Check(pid_t child);

  // Replaces `frames` by those of the sample's thread, and returns how unwinding ended. Returns
  // nullopt if the caller must use the copied stack: the process has no runtime, or a case of
  // LiveStackCounts applies.
  std::optional<bpf::unwind_end> Walk(const OwnSample& sample, Time now,
                                      std::vector<uint64_t>* frames);

  // From now on, Walk stops no threads.
  void End() { has_ended_ = true; }

  void ReleaseLate() { stopper_.ReleaseLate(); }
  bool has_late() const { return stopper_.has_late(); }

  const LiveStackCounts& counts() const { return counts_; }

 private:
  struct Walked {
    const ThreadState& thread;
    const Process& process;
    const bpf::runtime_process& runtime;
  };
  bool MayStop(const OwnSample& sample, const Process& process, Time now);
  bpf::unwind_end WalkStopped(const Walked& walked, std::vector<uint64_t>* frames);
  void Count(const absl::Status& status);

  Processes& processes_;
  CodeFiles& files_;
  runtime::Runtimes& runtimes_;
  ThreadStopper stopper_;
  LoadBudget budget_;
  absl::flat_hash_map<uint32_t, uint64_t> last_stops_;  // CLOCK_MONOTONIC, by thread
  std::vector<char> stack_;                             // of the stopped thread
  bool has_ended_ = false;
  LiveStackCounts counts_;
};

}  // namespace flarestack::record::agent
