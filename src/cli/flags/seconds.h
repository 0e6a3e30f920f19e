// SPDX-License-Identifier: Apache-2.0
//
// Durations in flags, where a number without a unit is in seconds: 10, 1.5, 500ms, 5m.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace flarestack::cli {

// Returns nullopt for invalid text.
std::optional<std::chrono::nanoseconds> ParseSeconds(const std::string& text);

}  // namespace flarestack::cli
