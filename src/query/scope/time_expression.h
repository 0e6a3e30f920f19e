// SPDX-License-Identifier: Apache-2.0
//
// Parses times and durations as users write them:
//
//   now   now-1h   now-90s+5s        relative
//   2026-03-01   2026-03-01T12:30:00Z   2026-03-01T12:30:00.25+02:00     RFC 3339
//   1767225600   1767225600.5   1767225600000   1767225600000000000      epoch in s, ms, us or ns
//   30s  5m  2h  7d  1w  250ms                                           durations
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"

namespace flarestack::query {

// Nanoseconds since the epoch. Returns kInvalidArgument with the accepted forms.
absl::StatusOr<uint64_t> ParseTime(std::string_view text, uint64_t now_nanos);

// Nanoseconds.
absl::StatusOr<uint64_t> ParseDuration(std::string_view text);

}  // namespace flarestack::query
