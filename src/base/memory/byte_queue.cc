// SPDX-License-Identifier: Apache-2.0
#include "base/memory/byte_queue.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/mutex.h"

namespace flarestack::base {
namespace {

// A rate measured over less time than this is not meaningful.
constexpr std::chrono::milliseconds kRateTimeMin{500};
// Beyond this time the measurement is halved, so older data counts less and less.
constexpr std::chrono::seconds kRateTimeMax{4};

double Seconds(ByteQueue::Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

ByteQueue::ByteQueue(ByteBudget* budget) : budget_(*budget) {
  budget_.set_on_release([this] {
    {
      const MutexLock lock(mutex_);
      if (waiters_.empty())
        return;
      is_released_ = true;
    }
    wake_.NotifyOne();
  });
  thread_ = std::thread([this] { Run(); });
}

ByteQueue::~ByteQueue() {
  {
    const MutexLock lock(mutex_);
    is_closing_ = true;
  }
  wake_.NotifyOne();
  thread_.join();
  budget_.set_on_release(nullptr);
}

void ByteQueue::Wait(const Ticket& ticket, std::function<void(bool)> done) {
  const uint64_t held = ticket.lease->total_bytes();
  const uint64_t more = ticket.bytes > held ? ticket.bytes - held : 0;
  bool is_granted = more == 0;
  bool is_waiting = false;
  {
    const MutexLock lock(mutex_);
    const Clock::time_point now = Clock::now();
    if (!is_granted && waiters_.empty() && budget_.TakeIfFree(more)) {
      ticket.lease->Reserve(more);
      is_granted = true;
    }
    if (!is_granted && !is_closing_ && !IsHopeless(more, ticket.until, now)) {
      if (waiters_.empty()) {
        served_since_ = now;
        served_bytes_ = 0;
      }
      waiting_bytes_ += more;
      waiters_.push_back({ticket.lease, more, ticket.until, std::move(done)});
      is_waiting = true;
      is_released_ = true;  // wakes the thread, which must consider the new deadline
    }
  }
  if (is_waiting)
    return wake_.NotifyOne();
  if (!is_granted)
    budget_.CountRejected();
  done(is_granted);
}

bool ByteQueue::WaitHere(const Ticket& ticket) {
  struct {
    Mutex mutex;
    CondVar decided;
    std::optional<bool> is_granted FLARE_GUARDED_BY(mutex);
  } outcome;
  Wait(ticket, [&outcome](bool is_granted) {
    // Notify under the mutex: the waiter returns, and its frame ends, as soon as it sees the
    // result.
    const MutexLock lock(outcome.mutex);
    outcome.is_granted = is_granted;
    outcome.decided.NotifyOne();
  });
  const MutexLock lock(outcome.mutex);
  while (!outcome.is_granted.has_value())
    outcome.decided.Wait(outcome.mutex);
  return *outcome.is_granted;
}

ByteQueue::Stats ByteQueue::stats() const {
  const MutexLock lock(mutex_);
  return {.waiting = waiters_.size(), .waiting_bytes = waiting_bytes_};
}

bool ByteQueue::IsHopeless(uint64_t bytes, Clock::time_point until, Clock::time_point now) const {
  if (now >= until || bytes > budget_.capacity_bytes())
    return true;
  const Clock::duration observed = now - served_since_;
  if (waiters_.empty() || observed < kRateTimeMin)
    return false;
  const double could_serve =
      static_cast<double>(served_bytes_) / Seconds(observed) * Seconds(until - now);
  return static_cast<double>(waiting_bytes_) > could_serve;
}

void ByteQueue::NoteServed(uint64_t bytes, Clock::time_point now) {
  served_bytes_ += bytes;
  if (const Clock::duration observed = now - served_since_; observed > kRateTimeMax) {
    served_bytes_ /= 2;
    served_since_ = now - observed / 2;
  }
}

std::deque<ByteQueue::Outcome> ByteQueue::TakeOutcomes(Clock::time_point now) {
  std::deque<Outcome> outcomes;
  while (!waiters_.empty()) {
    Waiter& first = waiters_.front();
    if (is_closing_ || first.until <= now) {
      budget_.CountRejected();
      outcomes.push_back({std::move(first.done), false});
    } else if (budget_.TakeIfFree(first.bytes)) {
      first.lease->Reserve(first.bytes);
      NoteServed(first.bytes, now);
      outcomes.push_back({std::move(first.done), true});
    } else {
      break;
    }
    waiting_bytes_ -= first.bytes;
    waiters_.pop_front();
  }
  // Waiters behind the first may have earlier deadlines.
  for (auto at = waiters_.begin(); at != waiters_.end();) {
    if (at->until > now) {
      ++at;
      continue;
    }
    budget_.CountRejected();
    waiting_bytes_ -= at->bytes;
    outcomes.push_back({std::move(at->done), false});
    at = waiters_.erase(at);
  }
  return outcomes;
}

ByteQueue::Clock::time_point ByteQueue::NextDeadline() const {
  Clock::time_point next = Clock::time_point::max();
  for (const Waiter& waiter : waiters_)
    next = std::min(next, waiter.until);
  return next;
}

void ByteQueue::Run() {
  MutexLock lock(mutex_);
  while (true) {
    is_released_ = false;
    std::deque<Outcome> outcomes = TakeOutcomes(Clock::now());
    if (!outcomes.empty()) {
      lock.Unlock();
      for (const Outcome& outcome : outcomes)
        outcome.done(outcome.is_granted);
      outcomes.clear();
      lock.Lock();
      continue;
    }
    if (is_closing_)
      return;
    const Clock::time_point deadline = NextDeadline();
    while (!is_released_ && !is_closing_) {
      if (waiters_.empty())
        wake_.Wait(mutex_);
      else if (!wake_.WaitUntil(mutex_, deadline))
        break;
    }
  }
}

}  // namespace flarestack::base
