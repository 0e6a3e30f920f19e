// SPDX-License-Identifier: Apache-2.0
//
// Where requests wait under load, oldest first, instead of being refused:
//
//   head -> bodies -> body is read -> work -> worker thread
//
// The first line keeps the bytes of requests within a budget, the second one what they take while
// they are worked on, which is a multiple of it. Only what was not served in time is refused, with
// a delay after which to try again.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>

#include "base/byte_queue.h"

namespace flarestack::net {

struct RequestQueues {
  std::shared_ptr<base::ByteQueue> bodies;   // null: a body that finds no room is refused at once
  std::shared_ptr<base::ByteQueue> work;     // null: what is complete is worked on at once
  std::chrono::milliseconds timeout{1'000};  // for all waiting of one request

  // When to give up on a request whose body is complete now, and waited so long before it.
  base::ByteQueue::Clock::time_point BeginBy(base::ByteQueue::Clock::duration waited) const {
    if (bodies == nullptr && work == nullptr)
      return base::ByteQueue::Clock::time_point::max();
    // One that got its turn late has still time for the second line, or reading it was for nothing.
    return base::ByteQueue::Clock::now() +
           std::max<base::ByteQueue::Clock::duration>(timeout - waited, timeout / 2);
  }

  base::ByteLease WorkLease() const {
    return work == nullptr ? base::ByteLease() : base::ByteLease(&work->budget());
  }
  // One that takes more than there is runs alone.
  uint64_t AtMostAll(uint64_t bytes) const {
    return work == nullptr ? bytes : std::min(bytes, work->budget().capacity_bytes());
  }
};

}  // namespace flarestack::net
