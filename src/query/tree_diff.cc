// SPDX-License-Identifier: Apache-2.0
#include "query/tree_diff.h"

#include <cmath>

#include "base/status.h"
#include "query/item_sums.h"

namespace flarestack::query {
namespace {

// A row counts for the node where it ends and for all above.
ItemSums SumNodes(const StackSet& set, const UnionTree& tree, int side) {
  return SumItems(set, tree.nodes.size(), [&](uint32_t row, std::vector<uint32_t>* nodes) {
    for (uint32_t node = tree.row_nodes[side][row]; node != 0; node = tree.nodes[node].parent)
      nodes->push_back(node);
    nodes->push_back(0);
  });
}

double Delta(const int64_t (&sides)[2], double scale) {
  return static_cast<double>(sides[1]) * scale - static_cast<double>(sides[0]);
}

}  // namespace

absl::StatusOr<TreeDiff> CompareTrees(const Sides& sides, const Diff& diff) {
  TreeDiff result;
  FLARE_ASSIGN(result.tree, MakeUnionTree(sides.before, sides.after));
  const ItemSums sums[2] = {SumNodes(sides.before, result.tree, 0),
                            SumNodes(sides.after, result.tree, 1)};
  std::vector<Observed> observed(result.tree.nodes.size());
  for (size_t i = 0; i < observed.size(); ++i) {
    for (const int side : {0, 1}) {
      observed[i].events[side] = sums[side].events[i];
      observed[i].values[side] = sums[side].values[i];
    }
    const UnionTree::Node& node = result.tree.nodes[i];
    result.deltas.push_back(Delta(node.total, diff.scale));
    const double own = Delta(node.self, diff.scale);
    (own > 0 ? result.added : result.removed) += std::abs(own);
  }
  result.verdicts = NoiseJudge(sides, diff.norm, diff.exposure).Judge(observed);
  return result;
}

}  // namespace flarestack::query
