// SPDX-License-Identifier: Apache-2.0
//
// The value of a series in each step of a range, by stack or in total, and how many profiles begin
// in a step. Steps of whole minutes or hours use roll-ups if available.
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
  // By step, if stacks are not requested. Dense, because nearly all steps have a value.
  std::vector<int64_t> of_all;
  std::vector<uint32_t> rolled_hours;  // hours already in `of_all`, ascending (rolled_totals.h)
  bool counts_profiles = false;        // whether to fill `profiles`
  std::vector<uint64_t> profiles;      // by step

  bool empty() const { return by_stack.empty() && of_all.empty(); }
};

struct StepRequest {
  SumRequest sum;
  HourSpan hours;     // hours of the range that have samples of any series
  uint64_t step = 0;  // ns
  bool without_stacks = false;
};
// Adds the hours that are not in `rolled_hours`.
absl::Status SumSteps(const Database& database, const StepRequest& request, RowFilter* filter,
                      ReadControl* control, StepSums* sums);

}  // namespace flarestack::store::rocks
