// SPDX-License-Identifier: Apache-2.0
//
// Queues in which requests wait under load, in FIFO order, instead of being rejected:
//
//   head -> bodies -> body is read -> work -> worker thread
//
// The first queue keeps the bytes of requests within a budget. The second does the same for the
// memory they need while they are processed, which is a multiple of that. Only requests that time
// out are rejected, with a retry delay.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>

#include "base/memory/byte_queue.h"

namespace flarestack::net {

struct RequestQueues {
  std::shared_ptr<base::ByteQueue> bodies;   // null: a body that finds no room is rejected at once
  std::shared_ptr<base::ByteQueue> work;     // null: a complete request is processed at once
  std::chrono::milliseconds timeout{1'000};  // total waiting time of one request

  // The deadline for starting a request whose body is now complete. `waited` is the time it spent
  // in the first queue.
  base::ByteQueue::Clock::time_point BeginBy(base::ByteQueue::Clock::duration waited) const {
    if (bodies == nullptr && work == nullptr)
      return base::ByteQueue::Clock::time_point::max();
    // A request that waited long in the first queue still gets time for the second; else reading
    // its body would have been wasted.
    return base::ByteQueue::Clock::now() +
           std::max<base::ByteQueue::Clock::duration>(timeout - waited, timeout / 2);
  }

  base::ByteLease WorkLease() const {
    return work == nullptr ? base::ByteLease() : base::ByteLease(&work->budget());
  }
  // Caps `bytes` at the capacity: a request that needs more than that runs alone.
  uint64_t AtMostAll(uint64_t bytes) const {
    return work == nullptr ? bytes : std::min(bytes, work->budget().capacity_bytes());
  }
};

}  // namespace flarestack::net
