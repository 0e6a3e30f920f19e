// SPDX-License-Identifier: Apache-2.0
//
// Decides which boxes of a call tree are drawn, and where. Nodes that are too narrow or too deep
// are summed: each parent has one box "(other)" for them, and the totals of the omitted nodes are
// exact.
#pragma once

#include <cstdint>
#include <vector>

#include "model/call_tree.h"

namespace flarestack::codec::svg {

struct LayoutLimits {
  double width_px = 1180;
  double box_width_px_min = 0.1;
  uint32_t rows_max = 1024;
  // Above this number the narrowest boxes are dropped first, regardless of their width: a browser
  // must still be able to open the page.
  uint32_t boxes_max = 50'000;
};

struct Box {
  model::CallNodeIndex node;  // for "(other)", its parent
  bool is_other = false;
  uint64_t merged_count = 0;  // nodes merged into "(other)"
  uint32_t row = 0;
  int64_t start = 0;  // weight to the left of it
  int64_t total = 0;
};

struct FlameLayout {
  std::vector<Box> boxes;  // callers before callees, each row from left to right
  uint32_t row_count = 0;
  uint64_t merged_count = 0;  // nodes without a separate box
  int64_t merged_total = 0;   // weight of those directly below a drawn node
  double width_px_min = 0;    // the narrowest separate box; the limit unless boxes_max was reached
};

// All weights of the tree must be non-negative.
FlameLayout LayOut(const model::CallTree& tree, const LayoutLimits& limits);

}  // namespace flarestack::codec::svg
