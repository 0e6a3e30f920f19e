// SPDX-License-Identifier: Apache-2.0
//
// Runs the same work for many items on several threads. Starting a thread takes as long as much of
// the work in a query, so the threads persist and all calls share them.
#pragma once

#include <cstddef>
#include <deque>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "base/mutex.h"

namespace flarestack::base {

class HelperPool {
 public:
  // `helpers` is the number of threads in addition to the calling ones; 0 is valid.
  explicit HelperPool(size_t helpers);
  ~HelperPool();
  HelperPool(const HelperPool&) = delete;
  HelperPool& operator=(const HelperPool&) = delete;

  // Calls `work` once for each index below `count`, in no particular order, on the calling thread
  // and on idle helpers. Never waits for a helper that is busy with another call. After an error no
  // new index is started; returns the first error. `work` may call For() recursively.
  absl::Status For(size_t count, absl::FunctionRef<absl::Status(size_t index)> work);

 private:
  struct Call;

  void Help();

  Mutex mutex_;
  CondVar is_wanted_;
  // One entry for each helper that a call requests.
  std::deque<Call*> wanted_ FLARE_GUARDED_BY(mutex_);
  bool is_ending_ FLARE_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> helpers_;  // never changes after the constructor
};

// Runs on the process-wide pool, which uses one thread per core.
absl::Status ParallelFor(size_t count, absl::FunctionRef<absl::Status(size_t index)> work);

}  // namespace flarestack::base
