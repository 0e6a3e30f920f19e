// SPDX-License-Identifier: Apache-2.0
//
// A flame graph in characters: callers above callees, with a width that shows their cost. Pure:
// takes a state and returns lines. flame_keys.h handles the keyboard, flame_style.h colours and
// marks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/flame/flame_style.h"
#include "model/call_tree.h"
#include "query/stacks/frame_matcher.h"

namespace flarestack::cli {

struct FlameState {
  uint32_t zoom = 0;    // the node that fills the width
  uint32_t cursor = 0;  // the node described in the last line
  uint32_t first_row = 0;
  std::optional<query::Pattern> search;  // highlights matching functions
};

struct FlameLook {
  size_t width = 80;
  size_t rows_max = 0;  // of boxes; 0: no limit
  bool use_colour = false;
  bool show_cursor = false;
};

class FlameView {
 public:
  // Both must outlive the view. Nodes with negative weight have no width and are omitted.
  FlameView(const model::CallTree& tree, const FlameStyle& style);

  const model::CallTree& tree() const { return tree_; }
  const FlameStyle& style() const { return style_; }

  // Children with a width, the costliest first.
  const std::vector<uint32_t>& ChildrenOf(uint32_t node) const { return children_[node]; }
  uint32_t ParentOf(uint32_t node) const { return tree_.nodes[node].parent.value; }

  // One line per depth. The callers of the zoomed node come first, each at full width.
  std::vector<std::string> Lines(const FlameState& state, const FlameLook& look) const;

  // The number of lines without a limit.
  uint32_t RowCount(uint32_t zoom, size_t width) const;

 private:
  struct Box {
    uint32_t node = 0;
    size_t begin = 0;  // columns
    size_t end = 0;
  };
  using Row = std::vector<Box>;

  std::vector<Row> Layout(uint32_t zoom, size_t width) const;
  std::string Line(const Row& row, const FlameState& state, const FlameLook& look) const;
  std::string BoxText(const Box& box, const FlameState& state, const FlameLook& look) const;

  const model::CallTree& tree_;
  const FlameStyle& style_;
  std::vector<std::vector<uint32_t>> children_;
};

}  // namespace flarestack::cli
