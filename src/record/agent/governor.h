// SPDX-License-Identifier: Apache-2.0
//
// Keeps the cost of recording within a budget. The cost is the CPU time that this process and the
// BPF programs used since the last update. Above the budget, fewer waits are recorded, then fewer
// stacks are copied; well below it, both increase again. Sums stay correct: each recorded wait is
// weighted for those that were not recorded.
#pragma once

#include <chrono>
#include <cstdint>

#include "record/agent/recorder.h"

namespace flarestack::record::agent {

struct GovernorState {
  uint64_t wait_unit_ns = 10'000'000;  // a wait of this length is always recorded
  uint32_t stack_copies_max = 250;     // per second and processor
  double cpu_share = 0;                // at the last update, of all CPUs
  uint64_t steps_down = 0;             // how often recording was reduced
};

class Governor {
 public:
  Governor(double cpu_share_max, int processors)
      : cpu_share_max_(cpu_share_max), processors_(processors) {}

  // `cpu` is the CPU time used so far. Returns true if the state has changed.
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
