// SPDX-License-Identifier: Apache-2.0
//
// Perf events on each CPU: clocks that tick while something runs, and counted events such as page
// faults.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file/descriptor.h"
#include "record/kernel/counted_event.h"

namespace flarestack::record::agent {

struct ClockEvents {
  std::vector<base::Descriptor> fds;  // one per CPU
  std::string source;                 // "cpu-clock", or "cycles" with a PMU
};

// Uses hardware cycles if available, or the software clock, which the kernel cannot tick while
// interrupts are off. Idle CPUs do not tick. All events start disabled.
absl::StatusOr<ClockEvents> OpenClockEvents(uint32_t frequency_hz, bool prefers_cycles,
                                            const std::vector<int>& processors);

// How often a counted event is sampled.
struct CountedRate {
  uint64_t period = 0;  // sample every `period` events; 0: adjusted to reach about `frequency_hz`
  uint32_t frequency_hz = 0;  // per second and CPU
};

// Opens one disabled event per CPU. Returns kUnavailable if this machine cannot count such events.
absl::StatusOr<std::vector<base::Descriptor>> OpenCountedEvent(const CountedEvent& event,
                                                               const CountedRate& rate,
                                                               const std::vector<int>& processors);

// Explains why perf_event_open failed, with a hint.
absl::Status PerfEventError(int error_number, std::string_view what);

}  // namespace flarestack::record::agent
