// SPDX-License-Identifier: Apache-2.0
//
// A sample with registers and a stack copied by the kernel, not unwound yet.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "record/bpf/layout.h"

namespace flarestack::record::agent {

// The registers in a sample, as a bit mask of the kernel's numbers.
#if defined(__x86_64__)
inline constexpr uint64_t kOwnSampleRegisters = 0x1ff | 0xff0000;
#else
inline constexpr uint64_t kOwnSampleRegisters = (uint64_t{1} << 33) - 1;
#endif

struct OwnSample {
  uint64_t event = 0;    // id of the perf event it came from
  uint64_t time_ns = 0;  // CLOCK_MONOTONIC
  uint32_t pid = 0;
  uint32_t tid = 0;
  uint32_t cpu = 0;
  bpf::unwind_registers registers = {};
  std::string_view stack;  // from the stack pointer upwards
};

// Decodes one PERF_RECORD_SAMPLE without its header, in the format that OwnSampler requests: event,
// pid and tid, time, CPU, user-space registers, and the stack. Returns kInvalidArgument if it is
// truncated.
absl::StatusOr<OwnSample> DecodeOwnSample(std::string_view body);

}  // namespace flarestack::record::agent
