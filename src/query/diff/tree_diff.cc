// SPDX-License-Identifier: Apache-2.0
#include "query/diff/tree_diff.h"

#include <cmath>
#include <span>

#include "base/status.h"
#include "query/stacks/item_sums.h"

namespace flarestack::query {
namespace {

// A node without self cost and with a single callee has the same samples as its callee, and so the
// same verdict. Most nodes of a deep tree are like that. Judging only the lowest node of each chain
// saves work, and does not count one finding many times. Returns the representative of each node.
std::vector<uint32_t> Representatives(const UnionTree& tree) {
  const auto count = static_cast<uint32_t>(tree.nodes.size());
  std::vector<bool> has_rows(count, false);  // a value of 0 may be a sum of several rows
  for (const int side : {0, 1}) {
    for (const uint32_t node : tree.row_nodes[side])
      has_rows[node] = true;
  }
  std::vector<uint32_t> child_count(count, 0);
  std::vector<uint32_t> representatives(count);
  for (uint32_t i = count; i-- > 0;) {
    // Children come after their parents, so an only child has already stored its representative
    // here.
    if (child_count[i] != 1 || has_rows[i])
      representatives[i] = i;
    const uint32_t parent = tree.nodes[i].parent;
    if (i > 0 && ++child_count[parent] == 1)
      representatives[parent] = representatives[i];
  }
  return representatives;
}

// A row counts for the node where it ends and for all its ancestors.
ItemSums SumNodes(const StackSet& set, const UnionTree& tree, int side,
                  std::span<const uint32_t> representatives) {
  return SumItems(set, tree.nodes.size(), [&](uint32_t row, std::vector<uint32_t>* nodes) {
    for (uint32_t node = tree.row_nodes[side][row];; node = tree.nodes[node].parent) {
      if (representatives[node] == node)
        nodes->push_back(node);
      if (node == 0)
        break;
    }
  });
}

double Delta(const int64_t (&sides)[2], double scale) {
  return static_cast<double>(sides[1]) * scale - static_cast<double>(sides[0]);
}

std::vector<Verdict> JudgeNodes(const Sides& sides, const Diff& diff, const UnionTree& tree) {
  const std::vector<uint32_t> representatives = Representatives(tree);
  const ItemSums sums[2] = {SumNodes(sides.before, tree, 0, representatives),
                            SumNodes(sides.after, tree, 1, representatives)};
  std::vector<Observed> observed;
  std::vector<size_t> place(tree.nodes.size(), 0);  // in `observed`
  for (uint32_t node = 0; node < tree.nodes.size(); ++node) {
    if (representatives[node] != node)
      continue;
    place[node] = observed.size();
    Observed& at = observed.emplace_back();
    for (const int side : {0, 1}) {
      at.events[side] = sums[side].events[node];
      at.totals[side] = tree.nodes[node].total[side];
      at.values[side] = sums[side].values[node];
    }
  }
  const std::vector<Verdict> judged = NoiseJudge(sides, diff.norm, diff.exposure).Judge(observed);
  std::vector<Verdict> verdicts;
  for (const uint32_t node : representatives)
    verdicts.push_back(judged[place[node]]);
  return verdicts;
}

}  // namespace

absl::StatusOr<TreeDiff> CompareTrees(const Sides& sides, const Diff& diff) {
  TreeDiff result;
  FLARE_ASSIGN(result.tree, MakeUnionTree(sides.before, sides.after));
  for (const UnionTree::Node& node : result.tree.nodes) {
    result.deltas.push_back(Delta(node.total, diff.scale));
    const double own = Delta(node.self, diff.scale);
    (own > 0 ? result.added : result.removed) += std::abs(own);
  }
  result.verdicts = JudgeNodes(sides, diff, result.tree);
  return result;
}

}  // namespace flarestack::query
