// SPDX-License-Identifier: Apache-2.0
#include "base/freed_memory.h"

#include <malloc.h>

namespace flarestack::base {
namespace {

// The lists of a large answer: blocks beyond this are mapped and unmapped one by one.
constexpr int kKeptBlockBytes = 16 << 20;
// Of the free end of a heap. Each thread that answers may have a heap of its own.
constexpr int kKeptBytes = 32 << 20;

}  // namespace

void KeepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, kKeptBlockBytes);
  mallopt(M_TRIM_THRESHOLD, kKeptBytes);
}

void GiveFreedMemoryBack() { malloc_trim(0); }

}  // namespace flarestack::base
