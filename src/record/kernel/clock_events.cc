// SPDX-License-Identifier: Apache-2.0
#include "record/kernel/clock_events.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::record::agent {
namespace {

constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;

perf_event_attr ClockAttributes(uint32_t frequency_hz, bool is_cycles) {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof(attributes));
  attributes.size = sizeof(attributes);
  attributes.exclude_idle = 1;
  attributes.disabled = 1;
  if (is_cycles) {
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config = PERF_COUNT_HW_CPU_CYCLES;
    attributes.freq = 1;
    attributes.sample_freq = frequency_hz;
  } else {
    // Uses a period: the kernel would adjust a frequency, and samples would have different weights.
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_CPU_CLOCK;
    attributes.sample_period = static_cast<uint64_t>(kNanosecondsPerSecond) / frequency_hz;
  }
  return attributes;
}

absl::StatusOr<std::vector<base::Descriptor>> OpenOnAll(const std::vector<int>& processors,
                                                        perf_event_attr attributes,
                                                        std::string_view what) {
  std::vector<base::Descriptor> fds;
  for (const int processor : processors) {
    base::Descriptor fd(static_cast<int>(
        syscall(SYS_perf_event_open, &attributes, -1, processor, -1, PERF_FLAG_FD_CLOEXEC)));
    if (!fd.is_open()) {
      // The CPU may have gone offline in the meantime.
      if (errno == ENODEV)
        continue;
      return PerfEventError(errno, base::StrCat(what, " of processor ", processor));
    }
    fds.push_back(std::move(fd));
  }
  if (fds.empty())
    return absl::UnavailableError(base::StrCat("no processor has ", what, " for us"));
  return fds;
}

}  // namespace

absl::StatusOr<ClockEvents> OpenClockEvents(uint32_t frequency_hz, bool prefers_cycles,
                                            const std::vector<int>& processors) {
  if (frequency_hz == 0)
    return absl::InvalidArgumentError("a clock of 0 Hz");
  if (prefers_cycles) {
    auto fds =
        OpenOnAll(processors, ClockAttributes(frequency_hz, /*is_cycles=*/true), "the clock");
    if (fds.ok())
      return ClockEvents{.fds = std::move(*fds), .source = "cycles"};
  }
  FLARE_ASSIGN(
      std::vector<base::Descriptor> fds,
      OpenOnAll(processors, ClockAttributes(frequency_hz, /*is_cycles=*/false), "the clock"));
  return ClockEvents{.fds = std::move(fds), .source = "cpu-clock"};
}

absl::StatusOr<std::vector<base::Descriptor>> OpenCountedEvent(const CountedEvent& event,
                                                               const CountedRate& rate,
                                                               const std::vector<int>& processors) {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof(attributes));
  attributes.size = sizeof(attributes);
  attributes.type = event.perf_type;
  attributes.config = event.perf_config;
  attributes.disabled = 1;
  attributes.freq = rate.period == 0 ? 1 : 0;
  if (rate.period == 0)
    attributes.sample_freq = rate.frequency_hz;
  else
    attributes.sample_period = rate.period;
  auto fds = OpenOnAll(processors, attributes, event.name);
  const bool is_hardware = event.perf_type != PERF_TYPE_SOFTWARE;
  if (is_hardware && absl::IsUnavailable(fds.status())) {
    return absl::UnavailableError(
        base::StrCat("this machine has no hardware counter for ", event.name,
                     " that the kernel can use; virtual machines often have none (",
                     base::Message(fds.status()), ")"));
  }
  return fds;
}

absl::Status PerfEventError(int error_number, std::string_view what) {
  const std::string message = base::StrCat("cannot open ", what, ": ", std::strerror(error_number));
  if (error_number == EACCES || error_number == EPERM) {
    return absl::PermissionDeniedError(
        base::StrCat(message, "; it needs root, or the capabilities CAP_BPF and CAP_PERFMON"));
  }
  if (error_number == EMFILE || error_number == ENFILE) {
    return absl::ResourceExhaustedError(base::StrCat(message, "; raise the open file limit"));
  }
  return absl::UnavailableError(message);
}

}  // namespace flarestack::record::agent
