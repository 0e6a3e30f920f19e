// SPDX-License-Identifier: Apache-2.0
//
// The value of each stack of a series in each minute of an hour: the roll-up for ranges and steps
// shorter than an hour.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "store/chunk/stack_sums.h"

namespace flarestack::store {

inline constexpr uint32_t kMinutesPerHour = 60;

using MinuteSums = std::array<StackSums, kMinutesPerHour>;

std::string EncodeMinuteSums(const MinuteSums& minutes);

// Minutes of an hour, end excluded.
struct MinuteRange {
  uint32_t first = 0;
  uint32_t end = kMinutesPerHour;
};

// Calls `take` with each minute of the range that has samples. Does not decode other minutes.
// Returns kDataLoss if the bytes are not a valid encoding.
absl::Status ForEachMinute(std::string_view bytes, MinuteRange range,
                           absl::FunctionRef<void(uint32_t minute, const StackSums&)> take);

// The value of all stacks of a series together in each minute of an hour, and how many profiles
// begin in it: the roll-up for charts, which show no stacks. It is a few hundred bytes, no matter
// how many samples and stacks the hour has.
struct MinuteTotals {
  std::array<int64_t, kMinutesPerHour> values = {};
  std::array<uint64_t, kMinutesPerHour> profiles = {};
  bool has_profiles = true;  // false: written before profiles were counted
  friend bool operator==(const MinuteTotals&, const MinuteTotals&) = default;
};

MinuteTotals TotalsOf(const MinuteSums& minutes);  // saturates

std::string EncodeMinuteTotals(const MinuteTotals& totals);

// Returns kDataLoss if the bytes are not a valid encoding.
absl::Status DecodeMinuteTotals(std::string_view bytes, MinuteTotals* totals);

}  // namespace flarestack::store
