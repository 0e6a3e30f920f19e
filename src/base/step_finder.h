// SPDX-License-Identifier: Apache-2.0
//
// Finds the step of a range that each of many times falls into. Most times fall into the same step
// as the previous one or into the next, and a division would cost more than all other work on a
// time.
#pragma once

#include <cstdint>

namespace flarestack::base {

class StepFinder {
 public:
  StepFinder(uint64_t range_begin, uint64_t step_length)
      : range_begin_(range_begin), step_length_(step_length), step_begin_(range_begin) {}

  // The time must not be before the range.
  uint64_t Find(uint64_t time) {
    const uint64_t offset = time - step_begin_;
    if (time < step_begin_ || offset >= step_length_) {
      const bool is_next = time >= step_begin_ && offset - step_length_ < step_length_;
      step_ = is_next ? step_ + 1 : (time - range_begin_) / step_length_;
      step_begin_ = range_begin_ + step_ * step_length_;
    }
    return step_;
  }

 private:
  const uint64_t range_begin_;
  const uint64_t step_length_;
  uint64_t step_ = 0;
  uint64_t step_begin_;
};

}  // namespace flarestack::base
