// SPDX-License-Identifier: Apache-2.0
//
// Limits the processor time of work that others ask for: a burst at first, then a share of the time
// that goes by.
#pragma once

#include <algorithm>
#include <chrono>

namespace flarestack::record::agent {

class LoadBudget {
 public:
  using Time = std::chrono::steady_clock::time_point;

  struct Options {
    std::chrono::nanoseconds burst = std::chrono::seconds(4);
    int divisor = 4;  // a quarter of a processor
  };

  explicit LoadBudget(const Options& options) : options_(options), left_(options.burst) {}

  // Whether there is budget left at this time.
  bool HasLeft(Time now) {
    if (refilled_at_ != Time())
      left_ = std::min(options_.burst, left_ + (now - refilled_at_) / options_.divisor);
    refilled_at_ = now;
    return left_ > std::chrono::nanoseconds::zero();
  }

  // The last piece of work may take more than was left.
  void Spend(std::chrono::nanoseconds processor_time) { left_ -= processor_time; }

 private:
  Options options_;
  std::chrono::nanoseconds left_;
  Time refilled_at_;
};

}  // namespace flarestack::record::agent
