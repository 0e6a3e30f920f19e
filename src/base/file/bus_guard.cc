// SPDX-License-Identifier: Apache-2.0
#include "base/file/bus_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

#include "base/mutex.h"

namespace flarestack::base {
namespace {

// Writers store `end` first and `begin` last, so the handler never sees a partial range. A `begin`
// of 0 marks a free slot.
struct Range {
  std::atomic<uintptr_t> begin{0};
  std::atomic<uintptr_t> end{0};
};

std::array<Range, BusGuard::kGuardsMax> g_ranges;
std::atomic<size_t> g_slots_used{0};  // slots at and above this index were never used
struct sigaction g_before;
uintptr_t g_page_bytes = 4096;

bool IsGuarded(uintptr_t address) {
  const size_t used = g_slots_used.load(std::memory_order_acquire);
  for (size_t slot = 0; slot < used; ++slot) {
    const uintptr_t begin = g_ranges[slot].begin.load(std::memory_order_acquire);
    if (begin != 0 && address >= begin && address < g_ranges[slot].end.load())
      return true;
  }
  return false;
}

// Does only what a signal handler may do.
void OnBusError(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  if (IsGuarded(address)) {
    void* const page = reinterpret_cast<void*>(address & ~(g_page_bytes - 1));
    if (mmap(page, g_page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page)
      return;
  }
  if ((g_before.sa_flags & SA_SIGINFO) != 0 && g_before.sa_sigaction != nullptr) {
    g_before.sa_sigaction(signal, info, context);
    return;
  }
  // Restores the previous action. The access then faults again without this handler.
  sigaction(SIGBUS, &g_before, nullptr);
}

void Install() {
  static std::once_flag once;
  std::call_once(once, [] {
    g_page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    struct sigaction action = {};
    action.sa_sigaction = &OnBusError;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &g_before);
  });
}

constinit Mutex g_slots_mutex;  // held while a slot is chosen

}  // namespace

BusGuard::BusGuard(std::string_view mapped) {
  if (mapped.empty())
    return;
  Install();
  const MutexLock lock(g_slots_mutex);
  for (size_t slot = 0; slot < kGuardsMax; ++slot) {
    Range& range = g_ranges[slot];
    if (range.begin.load() != 0)
      continue;
    const auto begin = reinterpret_cast<uintptr_t>(mapped.data());
    // The mapping extends to the end of its last page.
    range.end.store((begin + mapped.size() + g_page_bytes - 1) & ~(g_page_bytes - 1));
    range.begin.store(begin, std::memory_order_release);
    if (slot >= g_slots_used.load())
      g_slots_used.store(slot + 1, std::memory_order_release);
    slot_ = slot;
    return;
  }
}

BusGuard::BusGuard(BusGuard&& other) noexcept : slot_(std::exchange(other.slot_, kNoSlot)) {}

BusGuard& BusGuard::operator=(BusGuard&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

BusGuard::~BusGuard() {
  if (slot_ != kNoSlot)
    g_ranges[slot_].begin.store(0, std::memory_order_release);
}

}  // namespace flarestack::base
