// SPDX-License-Identifier: Apache-2.0
//
// The sampled allocations that were not freed yet, by address. Lock-free: hooks add and remove
// entries, the profiler's thread looks through them. A free is never lost: it clears the entry
// itself and needs no message.
//
// An address has 16 places: two buckets of 8. Most frees are of allocations that were not sampled;
// a table of counters by address answers those with one load.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sdk/sample/sample.h"

namespace flarestack::sdk {

inline constexpr size_t kLiveSlots = 64 << 10;

// Maps the table. Returns false if there is no memory.
bool OpenLiveTable();

// Adds an allocation that the program does not know yet. Generation 0: no place is free.
LiveSlot AddLive(const void* memory);

// How many entries have an address of the same hash. One that reached the top stays there.
inline constexpr int kLiveCounterBits = 15;
using LiveCounters = std::array<std::atomic<uint8_t>, size_t{1} << kLiveCounterBits>;
extern constinit LiveCounters g_live_counters;

inline size_t LiveCounterOf(const void* memory) {
  return ((reinterpret_cast<uintptr_t>(memory) >> 4) * 0x9e3779b97f4a7c15) >>
         (64 - kLiveCounterBits);
}

// False: the address is not in the table. Relaxed: the thread that frees got the address from the
// one that allocated, and with it the counter.
inline bool MayBeLive(const void* memory) {
  return g_live_counters[LiveCounterOf(memory)].load(std::memory_order_relaxed) != 0;
}

// Returns whether the address was in the table, and removes it.
bool RemoveLive(const void* memory);

// The child of a fork reports what it allocates itself.
void ResetLiveTableAfterFork();

// Whether the slot still has the entry.
bool IsLive(LiveSlot slot);

}  // namespace flarestack::sdk
