// SPDX-License-Identifier: Apache-2.0
//
// Saturating sums. Values come from outside, and a sum that wraps around would turn the largest
// cost into the smallest.
#pragma once

#include <cstdint>
#include <limits>

namespace flarestack::base {

inline int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    return b > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
  }
  return sum;
}

inline int64_t SaturatingMultiply(int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    return (a < 0) == (b < 0) ? std::numeric_limits<int64_t>::max()
                              : std::numeric_limits<int64_t>::min();
  }
  return product;
}

}  // namespace flarestack::base
