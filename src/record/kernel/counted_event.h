// SPDX-License-Identifier: Apache-2.0
//
// Events that the kernel or the hardware counts and that can be sampled, one stack per period. They
// have the names that perf uses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flarestack::record::agent {

struct CountedEvent {
  std::string_view name;   // "page-faults", also the sample type
  std::string_view alias;  // "faults"; empty: none
  uint32_t perf_type = 0;  // PERF_TYPE_SOFTWARE, PERF_TYPE_HARDWARE
  uint64_t perf_config = 0;
};

// Finds an event by name or alias; returns null if there is none.
const CountedEvent* FindCountedEvent(std::string_view name);

// "page-faults, minor-faults, ...", for errors and help.
std::string CountedEventNames();

}  // namespace flarestack::record::agent
