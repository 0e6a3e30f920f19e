// SPDX-License-Identifier: Apache-2.0
//
// Cost per function. A function that stands in a stack several times gets the stack's weight once.
#pragma once

#include <cstdint>
#include <vector>

#include "query/stacks/stack_set.h"

namespace flarestack::query {

struct TopRow {
  FrameId frame;      // the place that carries most of its cost: file, line and module
  int64_t self = 0;   // of stacks that end here
  int64_t total = 0;  // of stacks that it stands in
};

enum class TopOrder { kSelf, kTotal };

// Each function once, the most expensive first; equals by the other number, then by name.
std::vector<TopRow> Top(const StackSet& set, TopOrder order);

}  // namespace flarestack::query
