// SPDX-License-Identifier: Apache-2.0
//
// Threads that may block. Asio's and gRPC's threads must not, so handlers that wait for a disk run
// here.
//
// Thread-safe. The queue itself is unbounded: the servers limit the requests in flight, and a
// request has at most one task in the queue.
#pragma once

#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "base/mutex.h"

namespace flarestack::net {

class WorkerPool {
 public:
  explicit WorkerPool(int thread_count);
  ~WorkerPool();  // runs all queued tasks, then joins
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void Post(std::function<void()> task);

 private:
  void Run();

  base::Mutex mutex_;
  base::CondVar wake_;
  std::deque<std::function<void()>> tasks_ FLARE_GUARDED_BY(mutex_);
  bool is_closing_ FLARE_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;  // never changes after the constructor
};

}  // namespace flarestack::net
