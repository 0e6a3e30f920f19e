// SPDX-License-Identifier: Apache-2.0
#include "record/agent/governor.h"

#include <algorithm>

namespace flarestack::record::agent {
namespace {

constexpr uint64_t kWaitUnitMin = 10'000'000;
constexpr uint64_t kWaitUnitMax = 10'000'000'000;
constexpr uint32_t kStackCopiesMin = 10;
constexpr uint32_t kStackCopiesMax = 250;
// Below this share of the budget, more is recorded again.
constexpr double kRoomShare = 0.5;

}  // namespace

bool Governor::Update(std::chrono::nanoseconds cpu, std::chrono::steady_clock::time_point now) {
  const auto elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(now - last_time_);
  const auto used = cpu - last_cpu_;
  last_cpu_ = cpu;
  last_time_ = now;
  if (!has_looked_ || elapsed.count() <= 0) {
    has_looked_ = true;
    return false;
  }
  state_.cpu_share = static_cast<double>(used.count()) / static_cast<double>(elapsed.count()) /
                     std::max(processors_, 1);
  const GovernorState before = state_;
  if (state_.cpu_share > cpu_share_max_) {
    // Reduce waits first: they can far outnumber clock ticks.
    if (state_.wait_unit_ns < kWaitUnitMax)
      state_.wait_unit_ns = std::min(state_.wait_unit_ns * 2, kWaitUnitMax);
    else
      state_.stack_copies_max = std::max(state_.stack_copies_max / 2, kStackCopiesMin);
    ++state_.steps_down;
  } else if (state_.cpu_share < cpu_share_max_ * kRoomShare) {
    if (state_.stack_copies_max < kStackCopiesMax)
      state_.stack_copies_max = std::min(state_.stack_copies_max * 2, kStackCopiesMax);
    else
      state_.wait_unit_ns = std::max(state_.wait_unit_ns / 2, kWaitUnitMin);
  }
  return before.wait_unit_ns != state_.wait_unit_ns ||
         before.stack_copies_max != state_.stack_copies_max;
}

}  // namespace flarestack::record::agent
