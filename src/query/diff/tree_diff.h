// SPDX-License-Identifier: Apache-2.0
//
// Two sets of stacks compared call path by call path.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "query/diff/diff.h"
#include "query/diff/noise_judge.h"
#include "query/diff/union_tree.h"

namespace flarestack::query {

struct TreeDiff {
  UnionTree tree;
  std::vector<Verdict> verdicts;  // by node; false findings are held over all nodes together
  std::vector<double> deltas;     // of totals by node, scaled
  double added = 0;               // all that nodes themselves gained, scaled
  double removed = 0;             // all that they lost; not negative
};

// `diff` is the comparison of the same two sets. kResourceExhausted as MakeUnionTree.
absl::StatusOr<TreeDiff> CompareTrees(const Sides& sides, const Diff& diff);

}  // namespace flarestack::query
