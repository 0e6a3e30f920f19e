// SPDX-License-Identifier: Apache-2.0
//
// The four signals of OpenTelemetry.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace flarestack::model {

enum class Signal : uint8_t { kProfiles, kTraces, kLogs, kMetrics };

inline constexpr std::array kSignals = {Signal::kProfiles, Signal::kTraces, Signal::kLogs,
                                        Signal::kMetrics};

// "profiles"
constexpr std::string_view SignalName(Signal signal) {
  constexpr std::string_view kNames[] = {"profiles", "traces", "logs", "metrics"};
  return kNames[static_cast<size_t>(signal)];
}

}  // namespace flarestack::model
