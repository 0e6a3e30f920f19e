// SPDX-License-Identifier: Apache-2.0
#include "base/helper_pool.h"

#include <algorithm>
#include <atomic>

namespace flarestack::base {

struct HelperPool::Call {
  const size_t count;
  const absl::FunctionRef<absl::Status(size_t index)> work;
  std::atomic<size_t> next = 0;
  std::mutex mutex = {};
  absl::Status result = {};  // guarded by mutex
  size_t helping = 0;        // guarded by the pool's mutex
  std::condition_variable is_alone = {};

  void Run() {
    while (true) {
      // Relaxed: only the number is handed over; the pool's mutex orders everything else.
      const size_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= count)
        return;
      if (absl::Status status = work(index); !status.ok()) {
        const std::lock_guard lock(mutex);
        result.Update(status);
        next.store(count, std::memory_order_relaxed);
      }
    }
  }
};

HelperPool::HelperPool(size_t helpers) {
  for (size_t i = 0; i < helpers; ++i)
    helpers_.emplace_back([this] { Help(); });
}

HelperPool::~HelperPool() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  is_wanted_.notify_all();
  for (std::thread& helper : helpers_)
    helper.join();
}

void HelperPool::Help() {
  std::unique_lock lock(mutex_);
  while (true) {
    is_wanted_.wait(lock, [this] { return is_ending_ || !wanted_.empty(); });
    if (wanted_.empty())
      return;
    Call& call = *wanted_.front();
    wanted_.pop_front();
    ++call.helping;
    lock.unlock();
    call.Run();
    lock.lock();
    // Notify under the lock: the calling thread destroys the call as soon as no helper is left.
    if (--call.helping == 0)
      call.is_alone.notify_one();
  }
}

absl::Status HelperPool::For(size_t count, absl::FunctionRef<absl::Status(size_t index)> work) {
  Call call{.count = count, .work = work};
  const size_t helpers = std::min(helpers_.size(), count - std::min<size_t>(count, 1));
  if (helpers > 0) {
    const std::lock_guard lock(mutex_);
    wanted_.insert(wanted_.end(), helpers, &call);
  }
  for (size_t i = 0; i < helpers; ++i)
    is_wanted_.notify_one();
  call.Run();
  if (helpers > 0) {
    std::unique_lock lock(mutex_);
    std::erase(wanted_, &call);
    call.is_alone.wait(lock, [&call] { return call.helping == 0; });
  }
  return call.result;
}

absl::Status ParallelFor(size_t count, absl::FunctionRef<absl::Status(size_t index)> work) {
  // Never destroyed: a thread may still be using the pool when the process exits.
  static HelperPool& pool = *new HelperPool(std::max(1u, std::thread::hardware_concurrency()) - 1);
  return pool.For(count, work);
}

}  // namespace flarestack::base
