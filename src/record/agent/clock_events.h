// SPDX-License-Identifier: Apache-2.0
//
// Perf events that tick on each processor while something runs there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/descriptor.h"

namespace flarestack::record::agent {

struct ClockEvents {
  std::vector<base::Descriptor> fds;  // one for each processor
  std::string source;                 // "cpu-clock", or "cycles" where there is a PMU
};

// Of the hardware's cycles where there are any, else of the software clock, which the kernel cannot
// tick while interrupts are off. Idle processors do not tick.
absl::StatusOr<ClockEvents> OpenClockEvents(uint32_t frequency_hz, bool prefers_cycles);

// Why perf_event_open failed, with what would help.
absl::Status PerfEventError(int error_number, std::string_view what);

}  // namespace flarestack::record::agent
