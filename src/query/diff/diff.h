// SPDX-License-Identifier: Apache-2.0
//
// Compares two sets of stacks, function by function.
//
// Values are first made comparable: `after` is scaled to the exposure of `before`, so that a
// difference is in the unit of the profile for every norm.
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
  int64_t before = 0;  // total, as measured
  int64_t after = 0;
  int64_t self_before = 0;
  int64_t self_after = 0;
  double delta = 0;             // of totals, scaled
  double self_delta = 0;        // scaled
  std::optional<double> ratio;  // after to before, scaled; nullopt if `before` is 0
  double probability = 1;       // p-value of the difference
  bool is_significant = false;
};

struct Diff {
  DiffNorm norm = DiffNorm::kShare;
  std::string type;
  std::string unit;
  DiffSide before;
  DiffSide after;
  Exposure exposure;
  double scale = 1;        // factor for values of `after`
  double total_delta = 0;  // scaled
  std::optional<double> total_ratio;
  Verdict total_verdict;      // of the totals as measured, or per second; not by share
  std::vector<DiffRow> rows;  // largest difference first
  NoiseTest noise_test = NoiseTest::kOptimistic;  // the test that decided DiffRow::is_significant
  bool is_unbalanced = false;  // one side has more than four times the events of the other
};

// Returns kInvalidArgument if the sets cannot be compared: different units, or no exposure for the
// norm.
absl::StatusOr<Diff> Compare(const StackSet& before, const StackSet& after,
                             const DiffOptions& options);

// A part of the call tree whose difference stands out.
struct Explanation {
  std::vector<std::string> path;  // functions, root first
  int64_t before = 0;
  int64_t after = 0;
  double delta = 0;  // scaled
  double part = 0;   // of all changes in that direction
};

// The fewest subtrees, each as deep as possible, that together make up 80 % of the increase, or of
// the decrease if the total became smaller.
absl::StatusOr<std::vector<Explanation>> ExplainChange(const StackSet& before,
                                                       const StackSet& after, const Diff& diff);

}  // namespace flarestack::query
