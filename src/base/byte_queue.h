// SPDX-License-Identifier: Apache-2.0
//
// A line in front of a ByteBudget. Requests that find no room wait their turn, oldest first, for at
// most as long as their caller allows.
//
//   queue.Wait({.lease = &lease, .bytes = content_length, .until = deadline},
//              [](bool is_granted) { ... });
//
// A request that stands behind more bytes than the line has served in the same time is refused at
// once: it would only wait for its refusal.
//
// Thread-safe. The budget must outlive the queue, and only one queue stands before a budget.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "base/byte_budget.h"

namespace flarestack::base {

class ByteQueue {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ByteQueue(ByteBudget* budget);
  ~ByteQueue();  // refuses what still waits
  ByteQueue(const ByteQueue&) = delete;
  ByteQueue& operator=(const ByteQueue&) = delete;

  struct Ticket {
    ByteLease* lease = nullptr;  // of the queue's budget; nobody else may touch it while it waits
    uint64_t bytes = 0;          // it has at least as many in all afterwards, as its reserve
    Clock::time_point until = Clock::time_point::max();
  };
  // Calls `done` exactly once: at once where the answer is clear, otherwise from the thread of the
  // queue, which must not be held up.
  void Wait(const Ticket& ticket, std::function<void(bool is_granted)> done);

  // The same for a caller that may block.
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
    uint64_t bytes = 0;  // more than the lease has
    Clock::time_point until;
    std::function<void(bool)> done;
  };
  struct Answer {
    std::function<void(bool)> done;
    bool is_granted = false;
  };

  void Run();
  // The mutex is held.
  bool IsHopeless(uint64_t bytes, Clock::time_point until, Clock::time_point now) const;
  void NoteServed(uint64_t bytes, Clock::time_point now);
  std::deque<Answer> TakeAnswers(Clock::time_point now);
  Clock::time_point NextDeadline() const;

  ByteBudget& budget_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Waiter> waiters_;  // guarded by mutex_, as all that follows
  uint64_t waiting_bytes_ = 0;
  // Since the line formed, or over the last few seconds of a long one.
  Clock::time_point served_since_;
  uint64_t served_bytes_ = 0;
  bool is_released_ = false;
  bool is_closing_ = false;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace flarestack::base
