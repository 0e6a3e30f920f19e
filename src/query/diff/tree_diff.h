// SPDX-License-Identifier: Apache-2.0
//
// Compares two sets of stacks, call path by call path.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "query/diff/diff.h"
#include "query/diff/noise_judge.h"
#include "query/diff/union_tree.h"

namespace flarestack::query {

struct TreeDiff {
  UnionTree tree;
  std::vector<Verdict> verdicts;  // by node; the false finding rate applies to all nodes together
  std::vector<double> deltas;     // of totals by node, scaled
  double added = 0;               // sum of self increases of all nodes, scaled
  double removed = 0;             // sum of self decreases; not negative
};

// `diff` is the comparison of the same two sets. Returns kResourceExhausted like MakeUnionTree.
absl::StatusOr<TreeDiff> CompareTrees(const Sides& sides, const Diff& diff);

}  // namespace flarestack::query
