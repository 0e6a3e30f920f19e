// SPDX-License-Identifier: Apache-2.0
#include "codec/svg/flame_layout.h"

#include <algorithm>
#include <cmath>

namespace flarestack::codec::svg {
namespace {

using Node = model::CallTree::Node;

// The smallest total that gets a box. A child never weighs more than its parent, so the drawn boxes
// are connected.
int64_t TotalMin(const model::CallTree& tree, const LayoutLimits& limits) {
  const double share = limits.box_width_px_min / limits.width_px;
  const auto total_min = std::max<int64_t>(
      1, static_cast<int64_t>(std::ceil(static_cast<double>(tree.root().total) * share)));
  std::vector<int64_t> totals;
  for (const Node& node : tree.nodes) {
    if (node.total >= total_min && node.depth < limits.rows_max) {
      totals.push_back(node.total);
    }
  }
  if (totals.size() <= limits.boxes_max) {
    return total_min;
  }
  std::ranges::nth_element(totals, totals.begin() + limits.boxes_max, std::ranges::greater{});
  return totals[limits.boxes_max] + 1;
}

std::vector<uint64_t> SubtreeSizes(const model::CallTree& tree) {
  std::vector<uint64_t> sizes(tree.nodes.size(), 1);
  for (size_t i = tree.nodes.size(); i-- > 1;) {
    sizes[tree.nodes[i].parent.value] += sizes[i];
  }
  return sizes;
}

}  // namespace

FlameLayout LayOut(const model::CallTree& tree, const LayoutLimits& limits) {
  FlameLayout layout;
  const int64_t all = tree.root().total;
  if (all <= 0) {
    return layout;
  }
  const int64_t total_min = TotalMin(tree, limits);
  const std::vector<uint64_t> sizes = SubtreeSizes(tree);
  const auto is_drawn = [&](const Node& node) {
    return node.total >= total_min && node.depth < limits.rows_max;
  };
  const double px_per_weight = limits.width_px / static_cast<double>(all);
  layout.width_px_min = std::max(
      limits.box_width_px_min, total_min > 1 ? static_cast<double>(total_min) * px_per_weight : 0);

  layout.boxes.push_back({.node = {}, .total = all});
  for (size_t at = 0; at < layout.boxes.size(); ++at) {
    const Box box = layout.boxes[at];
    layout.row_count = std::max(layout.row_count, box.row + 1);
    if (box.is_other) {
      continue;
    }
    Box next = {.node = {}, .row = box.row + 1, .start = box.start};
    Box other = {.node = box.node, .is_other = true, .row = box.row + 1};
    const model::Slice children = tree.nodes[box.node.value].children;
    for (uint32_t child = children.begin; child < children.end(); ++child) {
      const Node& node = tree.nodes[child];
      if (is_drawn(node)) {
        next.node = {child};
        next.total = node.total;
        layout.boxes.push_back(next);
        next.start += node.total;
      } else {
        other.total += node.total;
        other.merged_count += sizes[child];
      }
    }
    layout.merged_count += other.merged_count;
    layout.merged_total += other.total;
    const bool is_wide =
        static_cast<double>(other.total) * px_per_weight >= limits.box_width_px_min;
    if (is_wide && other.row < limits.rows_max) {
      other.start = next.start;
      layout.boxes.push_back(other);
    }
  }
  return layout;
}

}  // namespace flarestack::codec::svg
