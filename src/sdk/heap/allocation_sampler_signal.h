// SPDX-License-Identifier: Apache-2.0
//
// Chooses allocations by their bytes: each byte starts a sample with the same small probability,
// so an allocation of s bytes is sampled with p = 1 - exp(-s / mean) and stands for 1 / p of its
// kind. Sums of the weights are unbiased for any mix of sizes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sdk/heap/live_table_signal.h"
#include "sdk/thread_state.h"
#include "sdk/unwind/stack_walk_signal.h"

namespace flarestack::sdk {

struct AllocationSampling {
  std::atomic<bool> is_on = false;
  std::atomic<bool> tracks_live = false;
  std::atomic<uint64_t> mean_bytes = 0;
};
extern constinit AllocationSampling g_allocations;

// Takes a sample of an allocation of the caller, and draws the distance to the next one.
void SampleAllocation(Registers hook, const void* memory, size_t bytes);

inline bool SamplesAllocations() { return g_allocations.is_on.load(std::memory_order_relaxed); }

// Called by each allocation hook with what it returns, while allocations are sampled.
__attribute__((always_inline)) inline void OnAllocate(const void* memory, size_t bytes) {
  t_thread.bytes_until_sample -= static_cast<int64_t>(bytes) + 1;
  if (t_thread.bytes_until_sample < 0) [[unlikely]]
    SampleAllocation(RegistersHere(), memory, bytes);
}

// Called by each hook before memory is really freed. Returns whether it was sampled.
__attribute__((always_inline)) inline bool OnFree(const void* memory) {
  return g_allocations.tracks_live.load(std::memory_order_relaxed) && MayBeLive(memory) &&
         RemoveLive(memory);
}

// 1 / (1 - exp(-bytes / mean)).
double AllocationWeight(double bytes, double mean_bytes);

}  // namespace flarestack::sdk
