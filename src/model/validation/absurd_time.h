// SPDX-License-Identifier: Apache-2.0
//
// Detects implausible times: the sender's clock was never set, or runs far ahead. Such times are
// replaced by the time of arrival, and the original is kept as an attribute.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"

namespace flarestack::model {

inline constexpr std::string_view kOriginalTimeKey = "flarestack.original_time_unix_nano";

// Before the year 2000, or more than a day after `now_nanos`.
inline bool IsAbsurdTime(uint64_t time_nanos, uint64_t now_nanos) {
  constexpr uint64_t kYear2000 = 946'684'800 * base::kNanosPerSecond;
  return time_nanos < kYear2000 || time_nanos > now_nanos + base::kNanosPerDay;
}

}  // namespace flarestack::model
