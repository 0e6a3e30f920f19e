// SPDX-License-Identifier: Apache-2.0
//
// Keeps what recording costs within a budget. The cost is what this process and the programs in the
// kernel took of the processors since the last look. Above the budget fewer waits are recorded,
// then fewer stacks are copied; well below it, more again. Sums stay right: each wait that is
// recorded counts for those that were not.
#pragma once

#include <chrono>
#include <cstdint>

#include "record/agent/recorder.h"

namespace flarestack::record::agent {

struct GovernorState {
  uint64_t wait_unit_ns = 10'000'000;  // a wait of this length is always recorded
  uint32_t stack_copies_max = 250;     // per second and processor
  double cpu_share = 0;                // at the last look, of one processor for each
  uint64_t steps_down = 0;             // so often it had to record less
};

class Governor {
 public:
  Governor(double cpu_share_max, int processors)
      : cpu_share_max_(cpu_share_max), processors_(processors) {}

  // `cpu_ns` is what was used up to now. True when the state has changed.
  bool Update(std::chrono::nanoseconds cpu, std::chrono::steady_clock::time_point now);

  const GovernorState& state() const { return state_; }

 private:
  const double cpu_share_max_;
  const int processors_;
  GovernorState state_;
  bool has_looked_ = false;
  std::chrono::nanoseconds last_cpu_{0};
  std::chrono::steady_clock::time_point last_time_;
};

}  // namespace flarestack::record::agent
