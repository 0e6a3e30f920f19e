// SPDX-License-Identifier: Apache-2.0
//
// Which boxes of a call tree are drawn, and where. What is too narrow to see, or too deep, is added
// up: each parent has one box "(other)" for it, and the totals of what was left out are exact.
#pragma once

#include <cstdint>
#include <vector>

#include "model/call_tree.h"

namespace flarestack::codec::svg {

struct LayoutLimits {
  double width_px = 1180;
  double box_width_px_min = 0.1;
  uint32_t rows_max = 1024;
  // Beyond this the narrowest boxes go first, whatever their width: a browser must still be able to
  // open the page.
  uint32_t boxes_max = 50'000;
};

struct Box {
  model::CallNodeIndex node;  // of "(other)": its parent
  bool is_other = false;
  uint64_t merged_count = 0;  // nodes inside of "(other)"
  uint32_t row = 0;
  int64_t start = 0;  // weight to the left of it
  int64_t total = 0;
};

struct FlameLayout {
  std::vector<Box> boxes;  // callers before callees, each row from left to right
  uint32_t row_count = 0;
  uint64_t merged_count = 0;  // nodes that have no box of their own
  int64_t merged_total = 0;   // the weight of those that hang directly below a drawn one
  double width_px_min =
      0;  // the narrowest box that was drawn by itself; the limit unless boxes_max was hit
};

// All weights of the tree must be zero or more.
FlameLayout LayOut(const model::CallTree& tree, const LayoutLimits& limits);

}  // namespace flarestack::codec::svg
