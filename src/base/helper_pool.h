// SPDX-License-Identifier: Apache-2.0
//
// The same work for many things, on several threads. Starting a thread takes as long as much of the
// work that queries have, so the threads stay, and all calls share them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace flarestack::base {

class HelperPool {
 public:
  // Threads besides those that call; there may be none.
  explicit HelperPool(size_t helpers);
  ~HelperPool();
  HelperPool(const HelperPool&) = delete;
  HelperPool& operator=(const HelperPool&) = delete;

  // Calls `work` once for each number below `count`, in no particular order, on the calling thread
  // and on helpers that have nothing else to do; it never waits for one that has. After an error
  // nothing new is begun; the first one is the result. `work` may call this again.
  absl::Status For(size_t count, absl::FunctionRef<absl::Status(size_t index)> work);

 private:
  struct Call;

  void Help();

  std::mutex mutex_;
  std::condition_variable is_wanted_;
  std::deque<Call*> wanted_;  // one entry for each helper that a call would like
  bool is_ending_ = false;
  std::vector<std::thread> helpers_;
};

// On the pool of the process, which has a thread for each core.
absl::Status ParallelFor(size_t count, absl::FunctionRef<absl::Status(size_t index)> work);

}  // namespace flarestack::base
