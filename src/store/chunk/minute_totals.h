// SPDX-License-Identifier: Apache-2.0
//
// The value of all stacks of a series together in each minute of an hour, and how many profiles
// begin in it: the roll-up for charts, which show no stacks. It is a few hundred bytes, no matter
// how many samples and stacks the hour has.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "store/chunk/minute_sums.h"

namespace flarestack::store {

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
