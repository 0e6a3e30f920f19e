// SPDX-License-Identifier: Apache-2.0
//
// What each stack of a series cost in each minute of an hour: the roll-up for ranges and steps that
// are shorter than hours.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "store/stack_sums.h"

namespace flarestack::store {

inline constexpr uint32_t kMinutesPerHour = 60;

using MinuteSums = std::array<StackSums, kMinutesPerHour>;

std::string EncodeMinuteSums(const MinuteSums& minutes);

// Adds the minutes from `first` up to `end`, which is excluded. The others are not even decoded.
// kDataLoss when the bytes are none that EncodeMinuteSums gives.
absl::Status AddMinutes(std::string_view bytes, uint32_t first, uint32_t end, StackSummer* summer);

}  // namespace flarestack::store
