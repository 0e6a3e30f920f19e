// SPDX-License-Identifier: Apache-2.0
//
// Wall-clock time as in OTLP: nanoseconds since the epoch.
#pragma once

#include <chrono>
#include <cstdint>

namespace flarestack::base {

inline constexpr uint64_t kNanosPerSecond = 1'000'000'000;
inline constexpr uint64_t kNanosPerMinute = 60 * kNanosPerSecond;
inline constexpr uint64_t kNanosPerHour = 60 * kNanosPerMinute;
inline constexpr uint64_t kNanosPerDay = 24 * kNanosPerHour;

inline uint64_t NowNanos() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::system_clock::now().time_since_epoch())
                                   .count());
}

}  // namespace flarestack::base
