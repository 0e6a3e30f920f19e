// SPDX-License-Identifier: Apache-2.0
//
// malloc and its kind, in front of those of libc or of an allocator that is loaded behind us. Weak,
// so that an allocator that is linked statically wins. operator new and delete call these.
//
// Memory is forgotten before it is really freed: afterwards another thread may get its address.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "sdk/heap/allocation_sampler_signal.h"
#include "sdk/hooks.h"
#include "sdk/real_functions.h"
#include "sdk/sample/sample_ring_signal.h"

namespace flarestack::sdk {
bool AllocationHooksWork() {
  void* volatile memory = nullptr;
  const bool was_on = g_allocations.is_on.load(std::memory_order_relaxed);
  const int64_t before = t_thread.bytes_until_sample;
  g_allocations.is_on.store(true, std::memory_order_relaxed);
  t_thread.bytes_until_sample = INT32_MAX;
  memory = std::malloc(64);
  const bool was_seen = t_thread.bytes_until_sample != INT32_MAX;
  g_allocations.is_on.store(was_on, std::memory_order_relaxed);
  t_thread.bytes_until_sample = before;
  std::free(memory);
  return was_seen;
}

}  // namespace flarestack::sdk

using flarestack::sdk::EarlyAllocate;
using flarestack::sdk::EarlyBytesFrom;
using flarestack::sdk::FindRealFunctions;
using flarestack::sdk::g_real_functions;
using flarestack::sdk::IsEarly;
using flarestack::sdk::OnAllocate;
using flarestack::sdk::OnFree;
using flarestack::sdk::RealFunctions;
using flarestack::sdk::SamplesAllocations;

#define FLARESTACK_HOOK extern "C" __attribute__((weak, visibility("default")))

// malloc and free are most of the calls. While nothing is sampled they only jump to the real ones.
FLARESTACK_HOOK void* malloc(size_t size) noexcept {
  if (g_real_functions.malloc == nullptr && FindRealFunctions() == nullptr) [[unlikely]]
    return EarlyAllocate(size);
  if (!SamplesAllocations())
    return g_real_functions.malloc(size);
  void* const memory = g_real_functions.malloc(size);
  OnAllocate(memory, size);
  return memory;
}

FLARESTACK_HOOK void free(void* memory) noexcept {
  if (IsEarly(memory)) [[unlikely]]
    return;
  if (g_real_functions.free == nullptr && FindRealFunctions() == nullptr) [[unlikely]]
    return;
  OnFree(memory);
  g_real_functions.free(memory);
}

FLARESTACK_HOOK void* calloc(size_t count, size_t size) noexcept {
  const RealFunctions* const real = FindRealFunctions();
  if (real == nullptr)  // dlsym() does this
    return EarlyAllocate(count * size);
  void* const memory = real->calloc(count, size);
  if (SamplesAllocations())
    OnAllocate(memory, count * size);
  return memory;
}

FLARESTACK_HOOK void* realloc(void* old, size_t size) noexcept {
  const RealFunctions* const real = FindRealFunctions();
  if (real == nullptr || IsEarly(old)) {
    void* const memory = real == nullptr ? EarlyAllocate(size) : real->malloc(size);
    if (memory != nullptr && old != nullptr)
      std::memcpy(memory, old, std::min(size, EarlyBytesFrom(old)));
    return memory;
  }
  const bool was_sampled = old != nullptr && OnFree(old);
  void* const memory = real->realloc(old, size);
  if (memory == nullptr && size != 0) {
    // The old memory stays. Its sample is lost for the live heap, and counted.
    if (was_sampled)
      flarestack::sdk::CountLoss(flarestack::sdk::SampleKind::kAllocation);
    return nullptr;
  }
  if (SamplesAllocations())
    OnAllocate(memory, size);
  return memory;
}

FLARESTACK_HOOK void* reallocarray(void* old, size_t count, size_t size) noexcept {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(old, bytes);
}

FLARESTACK_HOOK int posix_memalign(void** memory, size_t alignment, size_t size) noexcept {
  const RealFunctions* const real = FindRealFunctions();
  if (real == nullptr)
    return ENOMEM;
  const int error = real->posix_memalign(memory, alignment, size);
  if (error == 0 && SamplesAllocations())
    OnAllocate(*memory, size);
  return error;
}

FLARESTACK_HOOK void* aligned_alloc(size_t alignment, size_t size) noexcept {
  const RealFunctions* const real = FindRealFunctions();
  if (real == nullptr)
    return nullptr;
  void* const memory = real->aligned_alloc(alignment, size);
  if (SamplesAllocations())
    OnAllocate(memory, size);
  return memory;
}

// NOLINTBEGIN(readability-identifier-naming): names of libc
FLARESTACK_HOOK void* memalign(size_t alignment, size_t size) noexcept {
  const RealFunctions* const real = FindRealFunctions();
  if (real == nullptr)
    return nullptr;
  void* const memory = real->memalign(alignment, size);
  if (SamplesAllocations())
    OnAllocate(memory, size);
  return memory;
}

FLARESTACK_HOOK void* valloc(size_t size) noexcept {
  const RealFunctions* const real = FindRealFunctions();
  if (real == nullptr)
    return nullptr;
  void* const memory = real->valloc(size);
  if (SamplesAllocations())
    OnAllocate(memory, size);
  return memory;
}

FLARESTACK_HOOK void* pvalloc(size_t size) noexcept {
  const RealFunctions* const real = FindRealFunctions();
  if (real == nullptr)
    return nullptr;
  void* const memory = real->pvalloc(size);
  if (SamplesAllocations())
    OnAllocate(memory, size);
  return memory;
}
// NOLINTEND(readability-identifier-naming)
