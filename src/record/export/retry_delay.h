// SPDX-License-Identifier: Apache-2.0
//
// How long to wait before a request is tried again.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace flarestack::record::exporting {

struct BackOffLimits {
  std::chrono::milliseconds first{100};
  std::chrono::milliseconds longest{6'400};
};

// About the first, doubled with each try that failed before (from 0 on) up to the longest, give or
// take a half, so that senders do not come back all at once.
std::chrono::milliseconds BackOff(int failures, const BackOffLimits& limits = {});

// The header of that name: seconds, or a date of HTTP. Nothing for anything else.
std::optional<std::chrono::milliseconds> ParseRetryAfter(std::string_view header,
                                                         std::chrono::system_clock::time_point now);

}  // namespace flarestack::record::exporting
