// SPDX-License-Identifier: Apache-2.0
//
// What each stack of a series cost over a stretch of time: a roll-up, and the answer to most
// questions. Sums saturate.
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
  uint64_t events = 0;  // how many rows stand behind the value
  friend bool operator==(const StackSum&, const StackSum&) = default;
};

struct StackSums {
  std::vector<StackSum> stacks;  // by number, ascending
  uint64_t profile_count = 0;
  uint64_t duration_nanos = 0;  // the sum over all profiles
  friend bool operator==(const StackSums&, const StackSums&) = default;
};

std::string EncodeStackSums(const StackSums& sums);

// kDataLoss when the bytes are none that EncodeStackSums gives.
absl::Status DecodeStackSums(std::string_view bytes, StackSums* sums);

// Adds up rows and sums in any order.
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
