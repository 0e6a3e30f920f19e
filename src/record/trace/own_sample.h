// SPDX-License-Identifier: Apache-2.0
//
// A sample that the kernel has copied for us, with nothing walked yet.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "record/bpf/layout.h"

namespace flarestack::record::agent {

// The kernel's numbers of the registers in a sample, as bits.
#if defined(__x86_64__)
inline constexpr uint64_t kOwnSampleRegisters = 0x1ff | 0xff0000;
#else
inline constexpr uint64_t kOwnSampleRegisters = (uint64_t{1} << 33) - 1;
#endif

struct OwnSample {
  uint64_t event = 0;    // the perf event that it is of
  uint64_t time_ns = 0;  // CLOCK_MONOTONIC
  uint32_t pid = 0;
  uint32_t tid = 0;
  uint32_t cpu = 0;
  bpf::unwind_registers registers = {};
  std::string_view stack;  // from the stack pointer upwards
};

// One PERF_RECORD_SAMPLE without its header, as OwnSampler asks for it: event, pid and tid, time,
// processor, the registers of user space, and the stack. kInvalidArgument when it is cut short.
absl::StatusOr<OwnSample> DecodeOwnSample(std::string_view body);

}  // namespace flarestack::record::agent
