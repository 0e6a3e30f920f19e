// SPDX-License-Identifier: Apache-2.0
//
// Cost per function. A function that occurs several times in a stack gets the stack's weight once.
#pragma once

#include <cstdint>
#include <vector>

#include "query/stacks/stack_set.h"

namespace flarestack::query {

struct TopRow {
  FrameId frame;      // the location with most of its cost: file, line and module
  int64_t self = 0;   // of stacks that end here
  int64_t total = 0;  // of stacks that contain it
};

enum class TopOrder { kSelf, kTotal };

// Each function once, most expensive first; ties by the other number, then by name.
std::vector<TopRow> Top(const StackSet& set, TopOrder order);

}  // namespace flarestack::query
