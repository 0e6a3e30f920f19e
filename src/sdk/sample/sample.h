// SPDX-License-Identifier: Apache-2.0
//
// One sample as signal handlers and hooks write it and the profiler's thread reads it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "sdk/context/own_context_signal.h"
#include "sdk/unwind/stack_walk_signal.h"

namespace flarestack::sdk {

enum class SampleKind : uint8_t { kPadding, kCpu, kAllocation };
inline constexpr size_t kSampleKindCount = 3;

inline constexpr size_t kFramesMax = 512;

// An entry of the table of live allocations. Generation 0: not in the table.
struct LiveSlot {
  uint32_t index = 0;
  uint32_t generation = 0;
};

struct SampleFacts {
  SampleKind kind = SampleKind::kPadding;
  WalkEnd walk_end = WalkEnd::kComplete;
  pid_t tid = 0;
  uint64_t time_ns = 0;  // since 1970
  // CPU: nanoseconds. Allocation: bytes of the sampled one.
  uint64_t value = 0;
  // How many events this one stands for.
  double weight = 1;
  LiveSlot live = {};
};

struct Sample {
  SampleFacts facts;
  OwnContext context;
  std::span<const uintptr_t> frames;
};

}  // namespace flarestack::sdk
