// SPDX-License-Identifier: Apache-2.0
//
// The parent's view of a worker: starts it with the files it may read, reads its report, and ends
// it at the latest in the destructor. Leaves neither a process nor a descriptor behind.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "base/file/descriptor.h"
#include "symbol/symbol_source.h"
#include "symbol/worker/table_worker_protocol.h"

namespace flarestack::symbol {

struct WorkerInputs {
  base::Descriptor executable;
  base::Descriptor debug_file;
  base::Descriptor supplementary;
};

// Accepts only regular files, with at most `bytes_max` in total.
absl::StatusOr<WorkerInputs> OpenInputs(const SymbolFiles& files, uint64_t bytes_max);

struct ChildEnd {
  bool is_late = false;             // killed after a timeout
  bool is_cancelled = false;        // killed because of cancellation
  bool is_report_too_long = false;  // killed for that
  int wait_status = 0;              // from waitpid
  std::string report;
};

class WorkerChild {
 public:
  // Returns kUnavailable if the program cannot be started, or this process has no descriptors left.
  static absl::StatusOr<WorkerChild> Start(const std::string& program, const WorkerOrder& order,
                                           const WorkerInputs& inputs);

  WorkerChild(WorkerChild&& other) noexcept;
  WorkerChild& operator=(WorkerChild&&) = delete;
  ~WorkerChild();

  // Call once, on the thread that called Start.
  ChildEnd Await(std::chrono::milliseconds time_max, const std::atomic<bool>& is_cancelled);

  // Call after Await.
  absl::StatusOr<std::string> ReadTable(uint64_t bytes_max) const;

 private:
  WorkerChild() = default;

  int Reap();

  pid_t pid_ = -1;
  base::Descriptor report_;  // the read end of the pipe
  base::Descriptor table_;
};

}  // namespace flarestack::symbol
