// SPDX-License-Identifier: Apache-2.0
//
// Skips a server for a while after it failed several times in a row, so that callers do not wait
// for one that is down. Thread-safe.
#pragma once

#include <chrono>

#include "base/mutex.h"

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
  bool MayRequest(TimePoint now) const {
    const base::MutexLock lock(mutex_);
    return failures_ < options_.failures_max || now >= paused_until_;
  }

  void NoteAnswer() {
    const base::MutexLock lock(mutex_);
    failures_ = 0;
  }

  void NoteFailure(TimePoint now) {
    const base::MutexLock lock(mutex_);
    if (failures_ < options_.failures_max)
      ++failures_;
    paused_until_ = now + options_.pause;
  }

 private:
  const Options options_;
  mutable base::Mutex mutex_;
  int failures_ FLARE_GUARDED_BY(mutex_) = 0;
  TimePoint paused_until_ FLARE_GUARDED_BY(mutex_);  // counts when there are enough failures
};

}  // namespace flarestack::symbol
