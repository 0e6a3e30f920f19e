// SPDX-License-Identifier: Apache-2.0
#include "base/helper_pool.h"

#include <algorithm>
#include <atomic>

#include "base/mutex.h"

namespace flarestack::base {

struct HelperPool::Call {
  const size_t count;
  const absl::FunctionRef<absl::Status(size_t index)> work;
  std::atomic<size_t> next = 0;
  Mutex mutex = {};
  absl::Status result FLARE_GUARDED_BY(mutex) = {};
  size_t helping = 0;  // guarded by the pool's mutex, which an annotation here cannot name
  CondVar is_alone = {};

  void Run() {
    while (true) {
      // Relaxed: only the number is handed over; the pool's mutex orders everything else.
      const size_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= count)
        return;
      if (absl::Status status = work(index); !status.ok()) {
        const MutexLock lock(mutex);
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
    const MutexLock lock(mutex_);
    is_ending_ = true;
  }
  is_wanted_.NotifyAll();
  for (std::thread& helper : helpers_)
    helper.join();
}

void HelperPool::Help() {
  MutexLock lock(mutex_);
  while (true) {
    while (!is_ending_ && wanted_.empty())
      is_wanted_.Wait(mutex_);
    if (wanted_.empty())
      return;
    Call& call = *wanted_.front();
    wanted_.pop_front();
    ++call.helping;
    lock.Unlock();
    call.Run();
    lock.Lock();
    // Notify under the lock: the calling thread destroys the call as soon as no helper is left.
    if (--call.helping == 0)
      call.is_alone.NotifyOne();
  }
}

absl::Status HelperPool::For(size_t count, absl::FunctionRef<absl::Status(size_t index)> work) {
  Call call{.count = count, .work = work};
  const size_t helpers = std::min(helpers_.size(), count - std::min<size_t>(count, 1));
  if (helpers > 0) {
    const MutexLock lock(mutex_);
    wanted_.insert(wanted_.end(), helpers, &call);
  }
  for (size_t i = 0; i < helpers; ++i)
    is_wanted_.NotifyOne();
  call.Run();
  if (helpers > 0) {
    const MutexLock lock(mutex_);
    std::erase(wanted_, &call);
    while (call.helping > 0)
      call.is_alone.Wait(mutex_);
  }
  const MutexLock lock(call.mutex);
  return call.result;
}

absl::Status ParallelFor(size_t count, absl::FunctionRef<absl::Status(size_t index)> work) {
  // Never destroyed: a thread may still be using the pool when the process exits.
  static HelperPool& pool = *new HelperPool(std::max(1u, std::thread::hardware_concurrency()) - 1);
  return pool.For(count, work);
}

}  // namespace flarestack::base
