// SPDX-License-Identifier: Apache-2.0
//
// The functions of libc, or of an allocator behind us, that our functions of the same name stand in
// for.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <cstddef>

namespace flarestack::sdk {

struct RealFunctions {
  void* (*malloc)(size_t);
  void (*free)(void*);
  void* (*calloc)(size_t, size_t);
  void* (*realloc)(void*, size_t);
  void* (*reallocarray)(void*, size_t, size_t);
  int (*posix_memalign)(void**, size_t, size_t);
  void* (*aligned_alloc)(size_t, size_t);
  void* (*memalign)(size_t, size_t);
  void* (*valloc)(size_t);
  void* (*pvalloc)(size_t);
  int (*pthread_create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  int (*sigaction)(int, const struct sigaction*, struct sigaction*);
  void (*(*signal)(int, void (*)(int)))(int);
  int (*pthread_sigmask)(int, const sigset_t*, sigset_t*);
  int (*sigprocmask)(int, const sigset_t*, sigset_t*);
};

// All null until the first look-up, then all set: hooks read their own one and look up only if it
// is missing.
extern constinit RealFunctions g_real_functions;

// nullptr during the look-up itself, which may allocate.
const RealFunctions* FindRealFunctions();

// Memory for what is allocated during the look-up. Never freed.
inline constexpr size_t kEarlyBytes = 64 << 10;
extern constinit char g_early_memory[kEarlyBytes];
void* EarlyAllocate(size_t bytes);
inline bool IsEarly(const void* memory) {
  return memory >= g_early_memory && memory < g_early_memory + kEarlyBytes;
}
size_t EarlyBytesFrom(const void* memory);  // to the end of all of it

int RealSigaction(int number, const struct sigaction* action, struct sigaction* old);

}  // namespace flarestack::sdk
