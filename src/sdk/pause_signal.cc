// SPDX-License-Identifier: Apache-2.0
#include "sdk/pause_signal.h"

#include <atomic>

namespace flarestack::sdk {
namespace {

std::atomic<int> g_pauses = 0;

}  // namespace

// Relaxed: a sample that is under way may still be taken.
void Pause() { g_pauses.fetch_add(1, std::memory_order_relaxed); }
void Resume() { g_pauses.fetch_sub(1, std::memory_order_relaxed); }
bool IsPaused() { return g_pauses.load(std::memory_order_relaxed) > 0; }

}  // namespace flarestack::sdk
