// SPDX-License-Identifier: Apache-2.0
//
// What a series cost in each step of a range, by stack or in all. Steps that are whole minutes or
// hours take roll-ups where there are some.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "store/rocks/range_sums.h"

namespace flarestack::store::rocks {

// Steps are counted from the begin of the range.
struct StepSums {
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, int64_t> by_stack;  // and step
  std::vector<int64_t> of_all;  // by step, where stacks are not wanted: nearly all have something

  bool empty() const { return by_stack.empty() && of_all.empty(); }
};

struct StepRequest {
  SumRequest sum;
  uint64_t step = 0;  // ns
  bool without_stacks = false;
};
absl::Status SumSteps(const Database& database, const StepRequest& request, RowFilter* filter,
                      ReadControl* control, StepSums* sums);

}  // namespace flarestack::store::rocks
