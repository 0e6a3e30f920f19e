// SPDX-License-Identifier: Apache-2.0
//
// Two profiles as one flame graph: the union of both trees, so that removed paths stay visible.
// Colours and marks show the change.
//
//   +  new      >  more      |  within noise, or too few samples to tell
//   -  gone     <  less
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/flame/flame_style.h"
#include "model/call_tree.h"
#include "query/diff/diff.h"
#include "query/diff/tree_diff.h"

namespace flarestack::cli {

// The meaning of box widths. The union width of a path is the larger of its two self costs plus the
// widths of its children, so no box is narrower than on either side.
enum class FlameWidth { kUnion, kBefore, kAfter };

// A tree whose weights are widths. Nodes with zero width stay in the tree.
struct WidthTree {
  model::CallTree tree;
  std::vector<uint32_t> union_nodes;  // index: node of `tree`; value: node of the union tree
};
WidthTree MakeWidthTree(const query::TreeDiff& trees, double scale, FlameWidth width);

class DiffStyle : public FlameStyle {
 public:
  // All arguments must outlive the style.
  DiffStyle(const WidthTree& widths, const query::TreeDiff& trees, const query::Diff& diff);

  int ColourOf(uint32_t node) const override;  // orange for more, blue for less, grey
  char EdgeOf(uint32_t node) const override;
  char fill() const override { return '.'; }  // a dash would look like the mark for gone

  // "name: before -> after, difference, ratio, % of all that was added or removed".
  std::string Describe(uint32_t node, uint32_t zoom) const override;

  // Explains marks and colours, and the difference at which colours are strongest.
  std::string Legend() const;

 private:
  bool IsBeyondNoise(uint32_t node) const;
  double DeltaOf(uint32_t node) const { return trees_.deltas[widths_.union_nodes[node]]; }
  const query::UnionTree::Node& UnionNodeOf(uint32_t node) const {
    return trees_.tree.nodes[widths_.union_nodes[node]];
  }

  const WidthTree& widths_;
  const query::TreeDiff& trees_;
  const query::Diff& diff_;
  double strongest_ =
      0;  // 98th percentile of the differences, so that one outlier does not fade the rest
};

}  // namespace flarestack::cli
