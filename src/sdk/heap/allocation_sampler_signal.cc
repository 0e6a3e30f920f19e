// SPDX-License-Identifier: Apache-2.0
#include "sdk/heap/allocation_sampler_signal.h"

#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "sdk/heap/live_table_signal.h"
#include "sdk/pause_signal.h"
#include "sdk/sample/capture_signal.h"
#include "sdk/sample/sample_ring_signal.h"

namespace flarestack::sdk {

constinit AllocationSampling g_allocations;

namespace {

uint64_t NextRandom() {
  uint64_t& state = t_thread.random;
  if (state == 0) {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    state = (static_cast<uint64_t>(now.tv_nsec) << 32) ^ static_cast<uint64_t>(now.tv_sec) ^
            (static_cast<uint64_t>(ThreadId()) * 0x9e3779b97f4a7c15);
  }
  // splitmix64
  state += 0x9e3779b97f4a7c15;
  uint64_t value = state;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

// Exponentially distributed, at least 1.
int64_t DrawDistance(double mean_bytes) {
  constexpr double kScale = 1.0 / static_cast<double>(uint64_t{1} << 53);
  const double uniform = (static_cast<double>(NextRandom() >> 11) + 1) * kScale;  // above 0
  return static_cast<int64_t>(std::min(-std::log(uniform) * mean_bytes, 1e15)) + 1;
}

}  // namespace

double AllocationWeight(double bytes, double mean_bytes) {
  return -1 / std::expm1(-bytes / mean_bytes);
}

void SampleAllocation(Registers hook, const void* memory, size_t bytes) {
  if (t_thread.inside > 0)
    return;
  const InsideScope inside;
  const int saved_errno = errno;
  const auto mean = static_cast<double>(g_allocations.mean_bytes.load(std::memory_order_relaxed));
  const bool is_first = t_thread.random == 0;
  if (is_first) {
    // Up to here the thread had no distance: find out whether this allocation crosses the first.
    t_thread.bytes_until_sample += DrawDistance(mean);
    if (t_thread.bytes_until_sample >= 0) {
      errno = saved_errno;
      return;
    }
  }
  t_thread.bytes_until_sample = DrawDistance(mean);
  if (memory != nullptr && !IsPaused()) {
    if (!HasRoomForAllocation()) {
      CountLoss(SampleKind::kAllocation);
    } else {
      const bool tracks_live = g_allocations.tracks_live.load(std::memory_order_relaxed);
      const LiveSlot live = tracks_live ? AddLive(memory) : LiveSlot{};
      const SampleFacts facts = {.kind = SampleKind::kAllocation,
                                 .value = bytes,
                                 .weight = AllocationWeight(static_cast<double>(bytes) + 1, mean),
                                 .live = live};
      if (!CaptureSample(hook, facts) && live.generation != 0)
        RemoveLive(memory);
    }
  }
  errno = saved_errno;
}

}  // namespace flarestack::sdk
