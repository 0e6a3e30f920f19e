// SPDX-License-Identifier: Apache-2.0
//
// The heap memory of the processes. Each process reports it once a minute; the cache of inventory
// grows as long as the process runs.
#pragma once

#include <cstdint>
#include <vector>

#include "demo/code/shop_code.h"
#include "demo/shop.h"
#include "demo/timeline.h"

namespace flarestack::demo {

inline constexpr uint64_t kHeapWindows = 6;  // every sixth window has a heap profile

struct HeapPart {
  const WeightedStack* stack = nullptr;
  uint64_t inuse_bytes = 0;
  uint64_t inuse_objects = 0;
  uint64_t alloc_bytes = 0;  // since the previous profile
};

// At the end of a window.
std::vector<HeapPart> HeapOf(const Timeline& timeline, const Process& process, uint64_t window);

uint64_t MemoryOf(const Timeline& timeline, const Process& process, uint64_t window);

}  // namespace flarestack::demo
