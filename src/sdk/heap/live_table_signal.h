// SPDX-License-Identifier: Apache-2.0
//
// The sampled allocations that were not freed yet, by address. Lock-free: hooks add and remove
// entries, the profiler's thread looks through them. A free is never lost: it clears the entry
// itself and needs no message.
//
// An address has 16 places: two buckets of 8. Most frees are of allocations that were not sampled;
// a table of counters by address answers those with one load.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sdk/sample/sample.h"

namespace flarestack::sdk {

inline constexpr size_t kLiveSlots = 64 << 10;

// Maps the table. Returns false if there is no memory.
bool OpenLiveTable();

// Adds an allocation that the program does not know yet. Generation 0: no place is free.
LiveSlot AddLive(const void* memory);

// Returns whether the address was in the table, and removes it.
bool RemoveLive(const void* memory);

// The child of a fork reports what it allocates itself.
void ResetLiveTableAfterFork();

// Whether the slot still has the entry.
bool IsLive(LiveSlot slot);

}  // namespace flarestack::sdk
