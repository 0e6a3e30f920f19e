// SPDX-License-Identifier: Apache-2.0
#include "cli/flame/flame_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/human_value.h"
#include "cli/input/comparison.h"

namespace flarestack::cli {
namespace {

using query::UnionTree;

// From weak to strong. Blue and orange are distinguishable with red-green colour blindness.
constexpr int kMore[] = {223, 215, 208};
constexpr int kLess[] = {153, 111, 75};
constexpr int kGrey = 250;

double SelfWidth(const UnionTree::Node& node, double scale, FlameWidth width) {
  const double before = std::max(0.0, static_cast<double>(node.self[0]));
  const double after = std::max(0.0, static_cast<double>(node.self[1]) * scale);
  switch (width) {
    case FlameWidth::kBefore:
      return before;
    case FlameWidth::kAfter:
      return after;
    case FlameWidth::kUnion:
      break;
  }
  return std::max(before, after);
}

struct Widths {
  std::vector<double> self;
  std::vector<double> total;
};

Widths WidthsOf(const UnionTree& tree, double scale, FlameWidth width) {
  Widths widths = {.self = std::vector<double>(tree.nodes.size()),
                   .total = std::vector<double>(tree.nodes.size())};
  for (size_t i = tree.nodes.size(); i-- > 0;) {
    widths.self[i] = SelfWidth(tree.nodes[i], scale, width);
    widths.total[i] += widths.self[i];
    if (i > 0)
      widths.total[tree.nodes[i].parent] += widths.total[i];
  }
  return widths;
}

// Sorted by name, like the children of a CallTree.
std::vector<std::vector<uint32_t>> ChildrenByName(const UnionTree& tree) {
  std::vector<std::vector<uint32_t>> children(tree.nodes.size());
  for (uint32_t i = 1; i < tree.nodes.size(); ++i)
    children[tree.nodes[i].parent].push_back(i);
  for (std::vector<uint32_t>& list : children) {
    std::ranges::sort(list, {}, [&](uint32_t i) -> const std::string& {
      return tree.functions[tree.nodes[i].function];
    });
  }
  return children;
}

std::string RatioText(int64_t before, int64_t after, double scale) {
  if (before == 0)
    return after == 0 ? "nothing" : "new";
  if (after == 0)
    return "gone";
  return fmt::format("x{:.2f}", static_cast<double>(after) * scale / static_cast<double>(before));
}

}  // namespace

WidthTree MakeWidthTree(const query::TreeDiff& trees, double scale, FlameWidth width) {
  const UnionTree& from = trees.tree;
  const Widths widths = WidthsOf(from, scale, width);
  const std::vector<std::vector<uint32_t>> children = ChildrenByName(from);
  // Scaled costs are fractions but weights are integers. Use a total large enough to hide rounding.
  constexpr double kWhole = int64_t{1} << 40;
  const double factor = widths.total[0] > 0 ? kWhole / widths.total[0] : 0;
  WidthTree made;
  for (const std::string& name : from.functions)
    made.tree.frames.push_back({.name = name});
  made.tree.nodes.emplace_back();
  made.union_nodes.push_back(0);
  for (uint32_t i = 0; i < made.union_nodes.size(); ++i) {
    const uint32_t at = made.union_nodes[i];
    model::CallTree::Node& node = made.tree.nodes[i];
    node.frame = {from.nodes[at].function};
    node.self = std::llround(widths.self[at] * factor);
    node.total = std::llround(widths.total[at] * factor);
    node.children = {.begin = static_cast<uint32_t>(made.union_nodes.size()),
                     .count = static_cast<uint32_t>(children[at].size())};
    const uint32_t depth = node.depth + 1;
    made.tree.depth_max = std::max(made.tree.depth_max, node.depth);
    for (const uint32_t child : children[at]) {
      made.union_nodes.push_back(child);
      made.tree.nodes.push_back({.parent = {i}, .depth = depth});
    }
  }
  return made;
}

DiffStyle::DiffStyle(const WidthTree& widths, const query::TreeDiff& trees, const query::Diff& diff)
    : widths_(widths), trees_(trees), diff_(diff) {
  std::vector<double> sizes;
  for (uint32_t node = 0; node < widths.union_nodes.size(); ++node) {
    if (IsBeyondNoise(node))
      sizes.push_back(std::abs(DeltaOf(node)));
  }
  if (sizes.empty())
    return;
  const auto at = sizes.begin() + static_cast<ptrdiff_t>((sizes.size() - 1) * 98 / 100);
  std::nth_element(sizes.begin(), at, sizes.end());
  strongest_ = *at;
}

bool DiffStyle::IsBeyondNoise(uint32_t node) const {
  return trees_.verdicts[widths_.union_nodes[node]].is_significant && DeltaOf(node) != 0;
}

int DiffStyle::ColourOf(uint32_t node) const {
  if (!IsBeyondNoise(node))
    return kGrey;
  const double delta = DeltaOf(node);
  const double strength = std::min(1.0, std::abs(delta) / strongest_);
  const auto step =
      std::min<size_t>(static_cast<size_t>(strength * std::size(kMore)), std::size(kMore) - 1);
  return delta > 0 ? kMore[step] : kLess[step];
}

char DiffStyle::EdgeOf(uint32_t node) const {
  const UnionTree::Node& at = UnionNodeOf(node);
  if (at.total[0] == 0 && at.total[1] != 0)
    return '+';
  if (at.total[1] == 0 && at.total[0] != 0)
    return '-';
  if (!IsBeyondNoise(node))
    return '|';
  return DeltaOf(node) > 0 ? '>' : '<';
}

std::string DiffStyle::Describe(uint32_t node, uint32_t) const {
  const UnionTree::Node& at = UnionNodeOf(node);
  const double delta = DeltaOf(node);
  std::string text = fmt::format(
      "{}: {} -> {}, {}, {}", node == 0 ? "all" : trees_.tree.functions[at.function],
      base::HumanValue(at.total[0], diff_.unit), base::HumanValue(at.total[1], diff_.unit),
      SignedValue(delta, diff_.unit), RatioText(at.total[0], at.total[1], diff_.scale));
  const double moved = delta > 0 ? trees_.added : trees_.removed;
  if (delta != 0 && moved > 0) {
    text += fmt::format(", {:.1f} % of what {}", std::abs(delta) / moved * 100,
                        delta > 0 ? "was added" : "went away");
  }
  return text + (IsBeyondNoise(node) ? "" : ", within noise");
}

std::string DiffStyle::Legend() const {
  return "+ new  - gone  > more (orange)  < less (blue)  | within noise (grey)" +
         (strongest_ > 0 ? fmt::format("; strongest from {}",
                                       base::HumanValue(std::llround(strongest_), diff_.unit))
                         : "");
}

}  // namespace flarestack::cli
