// SPDX-License-Identifier: Apache-2.0
//
// Limits the CPU time of requested work: a burst at first, then a fixed share of the elapsed time.
#pragma once

#include <algorithm>
#include <chrono>

namespace flarestack::record::agent {

class LoadBudget {
 public:
  using Time = std::chrono::steady_clock::time_point;

  struct Options {
    std::chrono::nanoseconds burst = std::chrono::seconds(4);
    int divisor = 4;  // a quarter of a CPU
  };

  explicit LoadBudget(const Options& options) : options_(options), left_(options.burst) {}

  // Returns whether any budget is left at this time.
  bool HasLeft(Time now) {
    if (refilled_at_ != Time())
      left_ = std::min(options_.burst, left_ + (now - refilled_at_) / options_.divisor);
    refilled_at_ = now;
    return left_ > std::chrono::nanoseconds::zero();
  }

  // May exceed the remaining budget: the last piece of work runs to its end.
  void Spend(std::chrono::nanoseconds processor_time) { left_ -= processor_time; }

 private:
  Options options_;
  std::chrono::nanoseconds left_;
  Time refilled_at_;
};

}  // namespace flarestack::record::agent
