// SPDX-License-Identifier: Apache-2.0
//
// Cost per source line of the functions whose names match.
#pragma once

#include <cstdint>
#include <vector>

#include "query/stacks/frame_matcher.h"
#include "query/stacks/stack_set.h"

namespace flarestack::query {

struct LineCost {
  TextId function;
  TextId file;
  int64_t line = 0;   // 0 if unknown
  int64_t self = 0;   // of stacks that end on this line
  int64_t total = 0;  // of stacks that contain it, once each
};

// By function (most expensive first), file and line.
std::vector<LineCost> LineCosts(const StackSet& set, const Pattern& pattern);

}  // namespace flarestack::query
