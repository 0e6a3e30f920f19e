// SPDX-License-Identifier: Apache-2.0
#include "base/memory/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace flarestack::base {
namespace {

constexpr uintptr_t kHugePageBytes = uintptr_t{2} << 20;

}  // namespace

void PreferHugePages(const void* data, size_t size_bytes) {
  // Only whole huge pages: memory around the table belongs to other allocations.
  const auto begin = reinterpret_cast<uintptr_t>(data);
  const uintptr_t first = (begin + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  const uintptr_t end = (begin + size_bytes) / kHugePageBytes * kHugePageBytes;
  constexpr uintptr_t kWorthwhileBytes = 2 * kHugePageBytes;
  if (end <= first || end - first < kWorthwhileBytes)
    return;
  // A kernel without huge pages returns an error, which is harmless.
  (void)madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

}  // namespace flarestack::base
