// SPDX-License-Identifier: Apache-2.0
//
// Threads that may block. Asio's and gRPC's threads must not, so handlers that wait for a disk run
// here.
//
// Thread-safe. The queue itself is unbounded: the servers limit the requests in flight, and a
// request has at most one task in the queue.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

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

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;  // guarded by mutex_
  bool is_closing_ = false;                  // guarded by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace flarestack::net
