// SPDX-License-Identifier: Apache-2.0
#include "base/memory/freed_memory.h"

#include <malloc.h>

#include <algorithm>
#include <thread>

namespace flarestack::base {
namespace {

// Blocks above this fraction of the limit are mapped and unmapped individually. In a heap, each
// freed one would leave a hole that nothing else fits into.
constexpr uint64_t kLimitPerBlock = 256;
constexpr uint64_t kBlockBytesMin = 256 << 10;
constexpr uint64_t kBlockBytesMax = 16 << 20;
// How much free memory a heap keeps at its end. This applies to each heap.
constexpr uint64_t kLimitPerFreeEnd = 64;
constexpr uint64_t kFreeEndBytesMin = 1 << 20;
constexpr uint64_t kFreeEndBytesMax = 32 << 20;
// Memory freed in one heap is not available to threads that use another, so heaps are few.
constexpr unsigned kHeapsMin = 2;
constexpr unsigned kHeapsMax = 8;

int Part(uint64_t limit_bytes, uint64_t divisor, uint64_t least, uint64_t most) {
  return static_cast<int>(std::clamp(limit_bytes / divisor, least, most));
}

}  // namespace

void KeepFreedMemory(uint64_t limit_bytes) {
  mallopt(M_MMAP_THRESHOLD, Part(limit_bytes, kLimitPerBlock, kBlockBytesMin, kBlockBytesMax));
  mallopt(M_TRIM_THRESHOLD,
          Part(limit_bytes, kLimitPerFreeEnd, kFreeEndBytesMin, kFreeEndBytesMax));
  mallopt(M_ARENA_MAX,
          static_cast<int>(std::clamp(std::thread::hardware_concurrency(), kHeapsMin, kHeapsMax)));
}

void GiveFreedMemoryBack() { malloc_trim(0); }

}  // namespace flarestack::base
