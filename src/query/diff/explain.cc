// SPDX-License-Identifier: Apache-2.0
//
// ExplainChange: which subtrees cause the difference.
#include <algorithm>
#include <cmath>

#include "base/status.h"
#include "query/diff/diff.h"
#include "query/diff/union_tree.h"

namespace flarestack::query {
namespace {

constexpr double kPartWanted = 0.8;
constexpr double kPartOfChild = 0.5;  // a child with this part of its parent's change stands for it
constexpr double kPartMin = 0.02;     // smaller parts explain nothing
constexpr size_t kExplanationsMax = 10;
constexpr double kTotalsDiffer = 0.02;

class Explainer {
 public:
  // `sign` is the direction to explain: 1 for more, -1 for less. Changes in the other direction
  // neither hide an explanation nor provide one.
  Explainer(const UnionTree& tree, double scale, double sign)
      : tree_(tree), scale_(scale), gains_(tree.nodes.size()), children_(tree.nodes.size()) {
    for (size_t i = tree.nodes.size(); i-- > 0;) {
      const UnionTree::Node& node = tree.nodes[i];
      gains_[i] += std::max(0.0, sign * Delta(node.self));
      if (i > 0) {
        gains_[node.parent] += gains_[i];
        children_[node.parent].push_back(static_cast<uint32_t>(i));
      }
    }
  }

  std::vector<Explanation> Run() {
    std::vector<Explanation> found;
    const double whole = gains_[0];
    double covered = 0;
    while (found.size() < kExplanationsMax && covered < kPartWanted * whole) {
      const uint32_t node = Deepest();
      const double gain = gains_[node];
      if (node == 0 || gain < kPartMin * whole)
        break;
      found.push_back({.path = PathOf(node),
                       .before = tree_.nodes[node].total[0],
                       .after = tree_.nodes[node].total[1],
                       .delta = Delta(tree_.nodes[node].total),
                       .part = gain / whole});
      covered += gain;
      for (uint32_t at = node; at != 0; at = tree_.nodes[at].parent)
        gains_[tree_.nodes[at].parent] -= gain;
      gains_[node] = 0;
    }
    return found;
  }

 private:
  double Delta(const int64_t (&sides)[2]) const {
    return static_cast<double>(sides[1]) * scale_ - static_cast<double>(sides[0]);
  }

  // Descends from the root to the child with the largest gain, as long as one child has most of it.
  uint32_t Deepest() const {
    uint32_t node = 0;
    while (true) {
      uint32_t best = 0;
      for (const uint32_t child : children_[node]) {
        if (best == 0 || gains_[child] > gains_[best])
          best = child;
      }
      const double needed = node == 0 ? 0 : kPartOfChild * gains_[node];
      if (best == 0 || gains_[best] <= 0 || gains_[best] < needed)
        return node;
      node = best;
    }
  }

  std::vector<std::string> PathOf(uint32_t node) const {
    std::vector<std::string> path;
    for (; node != 0; node = tree_.nodes[node].parent)
      path.push_back(tree_.functions[tree_.nodes[node].function]);
    std::ranges::reverse(path);
    return path;
  }

  const UnionTree& tree_;
  double scale_;
  std::vector<double> gains_;  // per subtree, without the part already explained
  std::vector<std::vector<uint32_t>> children_;
};

}  // namespace

absl::StatusOr<std::vector<Explanation>> ExplainChange(const StackSet& before,
                                                       const StackSet& after, const Diff& diff) {
  FLARE_ASSIGN(const UnionTree tree, MakeUnionTree(before, after));
  const auto total = static_cast<double>(diff.before.total);
  const bool is_less = diff.total_delta < -kTotalsDiffer * std::abs(total);
  return Explainer(tree, diff.scale, is_less ? -1 : 1).Run();
}

}  // namespace flarestack::query
