// SPDX-License-Identifier: Apache-2.0
//
// Two sets of stacks compared, function by function.
//
// Values are first made comparable: `after` is scaled to the exposure of `before`, so that a
// difference is in the unit of the profile whatever the norm is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "query/diff/diff_norm.h"
#include "query/diff/noise_judge.h"
#include "query/stacks/stack_set.h"

namespace flarestack::query {

struct DiffRow {
  std::string function;
  int64_t before = 0;  // total, as it was measured
  int64_t after = 0;
  int64_t self_before = 0;
  int64_t self_after = 0;
  double delta = 0;             // of totals, scaled
  double self_delta = 0;        // scaled
  std::optional<double> ratio;  // after to before, scaled; nothing when there was nothing before
  double probability = 1;       // of such a difference by chance
  bool is_significant = false;
};

struct Diff {
  DiffNorm norm = DiffNorm::kShare;
  std::string type;
  std::string unit;
  DiffSide before;
  DiffSide after;
  Exposure exposure;
  double scale = 1;        // what values of `after` are multiplied with
  double total_delta = 0;  // scaled
  std::optional<double> total_ratio;
  Verdict total_verdict;      // of the totals as measured, or per second; not of shares
  std::vector<DiffRow> rows;  // the largest difference first
  NoiseTest noise_test = NoiseTest::kOptimistic;  // what decided about DiffRow::is_significant
  bool is_unbalanced = false;  // one side has more than four times the events of the other
};

// kInvalidArgument when the sets cannot be compared: other units, or no exposure for the norm.
absl::StatusOr<Diff> Compare(const StackSet& before, const StackSet& after,
                             const DiffOptions& options);

// A part of the call tree whose difference stands out.
struct Explanation {
  std::vector<std::string> path;  // functions, root first
  int64_t before = 0;
  int64_t after = 0;
  double delta = 0;  // scaled
  double part = 0;   // of all that changed in that direction
};

// The fewest subtrees, each as deep as it can be, that together make 80 % of what was added; of
// what went away, where the total became smaller.
absl::StatusOr<std::vector<Explanation>> ExplainChange(const StackSet& before,
                                                       const StackSet& after, const Diff& diff);

}  // namespace flarestack::query
