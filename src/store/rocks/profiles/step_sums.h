// SPDX-License-Identifier: Apache-2.0
//
// What a series cost in each step of a range, by stack or in all, and how many profiles begin in a
// step. Steps that are whole minutes or hours take roll-ups where there are some.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "store/rocks/profiles/chunk_scan.h"
#include "store/rocks/profiles/range_sums.h"

namespace flarestack::store::rocks {

struct StepSums {
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, int64_t> by_stack;  // and step
  std::vector<int64_t> of_all;  // by step, where stacks are not wanted: nearly all have something
  std::vector<uint32_t> rolled_hours;  // that `of_all` has already, ascending (rolled_totals.h)
  bool counts_profiles = false;        // set: `profiles` is wanted
  std::vector<uint64_t> profiles;      // by step

  bool empty() const { return by_stack.empty() && of_all.empty(); }
};

struct StepRequest {
  SumRequest sum;
  HourSpan hours;     // those of the range that have samples of any series
  uint64_t step = 0;  // ns
  bool without_stacks = false;
};
// Adds the hours that are not in `rolled_hours`.
absl::Status SumSteps(const Database& database, const StepRequest& request, RowFilter* filter,
                      ReadControl* control, StepSums* sums);

}  // namespace flarestack::store::rocks
