// SPDX-License-Identifier: Apache-2.0
//
// Skips a server for a while after it failed several times in a row, so that callers do not wait
// for one that is down. Thread-safe.
#pragma once

#include <chrono>
#include <mutex>

namespace flarestack::symbol {

class CircuitBreaker {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Options {
    int failures_max = 5;  // in a row
    std::chrono::seconds pause{60};
  };

  explicit CircuitBreaker(const Options& options) : options_(options) {}

  // After a pause, a single further failure starts the next one.
  bool MayAsk(TimePoint now) const {
    const std::lock_guard lock(mutex_);
    return failures_ < options_.failures_max || now >= paused_until_;
  }

  void NoteAnswer() {
    const std::lock_guard lock(mutex_);
    failures_ = 0;
  }

  void NoteFailure(TimePoint now) {
    const std::lock_guard lock(mutex_);
    if (failures_ < options_.failures_max)
      ++failures_;
    paused_until_ = now + options_.pause;
  }

 private:
  const Options options_;
  mutable std::mutex mutex_;
  int failures_ = 0;        // guarded by mutex_, like the next one
  TimePoint paused_until_;  // applies once failures_ has reached its maximum
};

}  // namespace flarestack::symbol
