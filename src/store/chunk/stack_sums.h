// SPDX-License-Identifier: Apache-2.0
//
// The value of each stack of a series over a time range: a roll-up, and the result of most queries.
// Sums saturate.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "store/number_table.h"

namespace flarestack::store {

struct StackSum {
  uint32_t stack = 0;
  int64_t value = 0;
  uint64_t events = 0;  // number of rows behind the value
  friend bool operator==(const StackSum&, const StackSum&) = default;
};

struct StackSums {
  std::vector<StackSum> stacks;  // by number, ascending
  uint64_t profile_count = 0;
  uint64_t duration_nanos = 0;  // sum over all profiles
  friend bool operator==(const StackSums&, const StackSums&) = default;
};

std::string EncodeStackSums(const StackSums& sums);

// Returns kDataLoss if the bytes are not a valid encoding.
absl::Status DecodeStackSums(std::string_view bytes, StackSums* sums);

// Sums rows and other sums, in any order.
class StackSummer {
 public:
  void Add(uint32_t stack, int64_t value, uint64_t events);
  void AddProfiles(uint64_t count, uint64_t duration_nanos);
  void Add(const StackSums& sums);
  bool empty() const { return sums_.stacks.empty(); }
  const StackSums& sums() const { return sums_; }  // in no particular order
  StackSums Finish() &&;

 private:
  NumberTable positions_;  // in sums_.stacks, by number
  StackSums sums_;
};

}  // namespace flarestack::store
