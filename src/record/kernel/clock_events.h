// SPDX-License-Identifier: Apache-2.0
//
// Perf events on each processor: clocks that tick while something runs there, and events that are
// counted, such as page faults.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/descriptor.h"
#include "record/kernel/counted_event.h"

namespace flarestack::record::agent {

struct ClockEvents {
  std::vector<base::Descriptor> fds;  // one for each processor
  std::string source;                 // "cpu-clock", or "cycles" where there is a PMU
};

// Of the hardware's cycles where there are any, else of the software clock, which the kernel cannot
// tick while interrupts are off. Idle processors do not tick. All start disabled.
absl::StatusOr<ClockEvents> OpenClockEvents(uint32_t frequency_hz, bool prefers_cycles,
                                            const std::vector<int>& processors);

// How often a counted event is sampled.
struct CountedRate {
  uint64_t period = 0;        // every so many events; 0: as many as make about `frequency_hz`
  uint32_t frequency_hz = 0;  // per second and processor
};

// Disabled, one for each processor. kUnavailable where this machine does not count such events.
absl::StatusOr<std::vector<base::Descriptor>> OpenCountedEvent(const CountedEvent& event,
                                                               const CountedRate& rate,
                                                               const std::vector<int>& processors);

// Why perf_event_open failed, with what would help.
absl::Status PerfEventError(int error_number, std::string_view what);

}  // namespace flarestack::record::agent
