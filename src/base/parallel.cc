// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace flarestack::base {

absl::Status ParallelFor(size_t count, size_t threads_max,
                         absl::FunctionRef<absl::Status(size_t index)> work) {
  if (threads_max == 0)
    threads_max = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  absl::Status result;  // guarded by mutex
  const auto run = [&] {
    while (true) {
      // Relaxed: the number is all that is handed over; joining orders the rest.
      const size_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= count)
        return;
      if (absl::Status status = work(index); !status.ok()) {
        const std::lock_guard lock(mutex);
        result.Update(status);
        next.store(count, std::memory_order_relaxed);
      }
    }
  };
  std::vector<std::thread> threads;  // besides this one
  for (size_t i = 1; i < std::min(count, threads_max); ++i)
    threads.emplace_back(run);
  run();
  for (std::thread& thread : threads)
    thread.join();
  return result;
}

}  // namespace flarestack::base
