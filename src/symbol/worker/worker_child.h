// SPDX-License-Identifier: Apache-2.0
//
// A worker as its parent sees it: started with the files that it may read, listened to, and ended
// at the latest when it is forgotten. Leaves neither a process nor a descriptor behind.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "base/descriptor.h"
#include "symbol/symbol_source.h"
#include "symbol/worker/table_worker_protocol.h"

namespace flarestack::symbol {

struct WorkerInputs {
  base::Descriptor executable;
  base::Descriptor debug_file;
  base::Descriptor supplementary;
};

// Regular files alone, with not more than `bytes_max` all together.
absl::StatusOr<WorkerInputs> OpenInputs(const SymbolFiles& files, uint64_t bytes_max);

struct ChildEnd {
  bool is_late = false;       // it was killed after its time
  bool is_cancelled = false;  // it was killed because nobody waits for it any more
  bool is_talkative = false;  // it was killed because of what it wrote
  int wait_status = 0;        // as waitpid has it
  std::string report;
};

class WorkerChild {
 public:
  // kUnavailable when the program cannot be started, or this process has no descriptors left.
  static absl::StatusOr<WorkerChild> Start(const std::string& program, const WorkerOrder& order,
                                           const WorkerInputs& inputs);

  WorkerChild(WorkerChild&& other) noexcept;
  WorkerChild& operator=(WorkerChild&&) = delete;
  ~WorkerChild();

  // To be called once, by the thread that called Start.
  ChildEnd Await(std::chrono::milliseconds time_max, const std::atomic<bool>& is_cancelled);

  // After Await.
  absl::StatusOr<std::string> ReadTable(uint64_t bytes_max) const;

 private:
  WorkerChild() = default;

  int Reap();

  pid_t pid_ = -1;
  base::Descriptor report_;  // the end of the pipe to read from
  base::Descriptor table_;
};

}  // namespace flarestack::symbol
