// SPDX-License-Identifier: Apache-2.0
#include "sdk/real_functions.h"

#include <dlfcn.h>

#include <atomic>
#include <cerrno>

#include "sdk/thread_state.h"

namespace flarestack::sdk {

constinit RealFunctions g_real_functions = {};
alignas(16) constinit char g_early_memory[kEarlyBytes] = {};

namespace {

constinit std::atomic<bool> g_is_found = false;
constinit std::atomic<size_t> g_early_used = 0;

template <typename Function>
void Find(Function* function, const char* name) {
  *function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

const RealFunctions* FindRealFunctions() {
  if (g_is_found.load(std::memory_order_acquire))
    return &g_real_functions;
  static thread_local constinit bool is_finding __attribute__((tls_model("initial-exec"))) = false;
  if (is_finding)
    return nullptr;
  is_finding = true;
  // Two threads may do this at once: they write the same.
  Find(&g_real_functions.malloc, "malloc");
  Find(&g_real_functions.free, "free");
  Find(&g_real_functions.calloc, "calloc");
  Find(&g_real_functions.realloc, "realloc");
  Find(&g_real_functions.reallocarray, "reallocarray");
  Find(&g_real_functions.posix_memalign, "posix_memalign");
  Find(&g_real_functions.aligned_alloc, "aligned_alloc");
  Find(&g_real_functions.memalign, "memalign");
  Find(&g_real_functions.valloc, "valloc");
  Find(&g_real_functions.pvalloc, "pvalloc");
  Find(&g_real_functions.pthread_create, "pthread_create");
  Find(&g_real_functions.sigaction, "sigaction");
  Find(&g_real_functions.signal, "signal");
  Find(&g_real_functions.pthread_sigmask, "pthread_sigmask");
  Find(&g_real_functions.sigprocmask, "sigprocmask");
  g_is_found.store(true, std::memory_order_release);
  is_finding = false;
  return &g_real_functions;
}

void* EarlyAllocate(size_t bytes) {
  bytes = (bytes + 15) & ~size_t{15};
  const size_t at = g_early_used.fetch_add(bytes, std::memory_order_relaxed);
  return bytes > kEarlyBytes || at > kEarlyBytes - bytes ? nullptr : g_early_memory + at;
}

size_t EarlyBytesFrom(const void* memory) {
  return static_cast<size_t>(g_early_memory + kEarlyBytes - static_cast<const char*>(memory));
}

int RealSigaction(int number, const struct sigaction* action, struct sigaction* old) {
  const RealFunctions* const real = FindRealFunctions();
  return real == nullptr || real->sigaction == nullptr ? EINVAL
                                                       : real->sigaction(number, action, old);
}

}  // namespace flarestack::sdk
