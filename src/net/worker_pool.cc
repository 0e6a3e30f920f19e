// SPDX-License-Identifier: Apache-2.0
#include "net/worker_pool.h"

#include <utility>

#include "base/check.h"

namespace flarestack::net {

WorkerPool::WorkerPool(int thread_count) {
  FLARE_CHECK(thread_count > 0, thread_count);
  for (int i = 0; i < thread_count; ++i)
    threads_.emplace_back([this] { Run(); });
}

WorkerPool::~WorkerPool() {
  {
    const base::MutexLock lock(mutex_);
    is_closing_ = true;
  }
  wake_.NotifyAll();
  for (std::thread& thread : threads_)
    thread.join();
}

void WorkerPool::Post(std::function<void()> task) {
  {
    const base::MutexLock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  wake_.NotifyOne();
}

void WorkerPool::Run() {
  while (true) {
    std::function<void()> task;
    {
      const base::MutexLock lock(mutex_);
      while (!is_closing_ && tasks_.empty())
        wake_.Wait(mutex_);
      if (tasks_.empty())
        return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

}  // namespace flarestack::net
