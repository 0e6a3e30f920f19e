// SPDX-License-Identifier: Apache-2.0
//
// A queue in front of a ByteBudget. Requests that find no room wait in FIFO order, until the
// deadline that their caller sets.
//
//   queue.Wait({.lease = &lease, .bytes = content_length, .until = deadline},
//              [](bool is_granted) { ... });
//
// A request is rejected immediately if, at the current rate, the queue could not serve the bytes
// ahead of it before its deadline.
//
// Thread-safe. The budget must outlive the queue, and a budget has at most one queue.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <thread>

#include "base/memory/byte_budget.h"
#include "base/mutex.h"

namespace flarestack::base {

class ByteQueue {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ByteQueue(ByteBudget* budget);
  ~ByteQueue();  // rejects all waiting requests
  ByteQueue(const ByteQueue&) = delete;
  ByteQueue& operator=(const ByteQueue&) = delete;

  struct Ticket {
    ByteLease* lease = nullptr;  // of the queue's budget; must not be used elsewhere while it waits
    uint64_t bytes = 0;          // the total to reach; the missing bytes go to the lease's reserve
    Clock::time_point until = Clock::time_point::max();
  };
  // Calls `done` exactly once: immediately if the outcome is already known, else from the queue's
  // thread, which `done` must not block.
  void Wait(const Ticket& ticket, std::function<void(bool is_granted)> done);

  // Like Wait(), but blocks until the outcome is known.
  bool WaitHere(const Ticket& ticket);

  struct Stats {
    size_t waiting = 0;
    uint64_t waiting_bytes = 0;
  };
  Stats stats() const;
  ByteBudget& budget() { return budget_; }

 private:
  struct Waiter {
    ByteLease* lease = nullptr;
    uint64_t bytes = 0;  // in addition to what the lease has
    Clock::time_point until;
    std::function<void(bool)> done;
  };
  struct Outcome {
    std::function<void(bool)> done;
    bool is_granted = false;
  };

  void Run();
  bool IsHopeless(uint64_t bytes, Clock::time_point until, Clock::time_point now) const
      FLARE_REQUIRES(mutex_);
  void NoteServed(uint64_t bytes, Clock::time_point now) FLARE_REQUIRES(mutex_);
  std::deque<Outcome> TakeOutcomes(Clock::time_point now) FLARE_REQUIRES(mutex_);
  Clock::time_point NextDeadline() const FLARE_REQUIRES(mutex_);

  ByteBudget& budget_;
  mutable Mutex mutex_;
  CondVar wake_;
  std::deque<Waiter> waiters_ FLARE_GUARDED_BY(mutex_);
  uint64_t waiting_bytes_ FLARE_GUARDED_BY(mutex_) = 0;
  // Since the queue was last empty, or over the last few seconds if that was long ago.
  Clock::time_point served_since_ FLARE_GUARDED_BY(mutex_);
  uint64_t served_bytes_ FLARE_GUARDED_BY(mutex_) = 0;
  bool is_released_ FLARE_GUARDED_BY(mutex_) = false;
  bool is_closing_ FLARE_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses the other members
};

}  // namespace flarestack::base
