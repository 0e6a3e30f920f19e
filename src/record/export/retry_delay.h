// SPDX-License-Identifier: Apache-2.0
//
// Computes delays between retries.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace flarestack::record::exporting {

struct BackOffLimits {
  std::chrono::milliseconds first{100};
  std::chrono::milliseconds longest{6'400};
};

// Returns the first delay doubled for each earlier failure (`failures` starts at 0), capped at the
// longest, with 50 % jitter in both directions so that senders do not return all at once.
std::chrono::milliseconds BackOff(int failures, const BackOffLimits& limits = {});

// Parses the Retry-After header: seconds, or an HTTP date. Returns nullopt for anything else.
std::optional<std::chrono::milliseconds> ParseRetryAfter(std::string_view header,
                                                         std::chrono::system_clock::time_point now);

}  // namespace flarestack::record::exporting
