// SPDX-License-Identifier: Apache-2.0
//
// Who calls a function, and whom it calls. A pair of functions counts once per stack, however often
// the one calls the other in it; calls of a function to itself are no neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include "query/stacks/frame_matcher.h"
#include "query/stacks/stack_set.h"

namespace flarestack::query {

struct Neighbour {
  TextId function;
  int64_t value = 0;
};

struct Neighbourhood {
  TextId function;
  int64_t self = 0;
  int64_t total = 0;
  std::vector<Neighbour> callers;  // the largest first, then by name
  std::vector<Neighbour> callees;
};

// One per function whose name matches, the most expensive first.
std::vector<Neighbourhood> Neighbours(const StackSet& set, const Pattern& pattern);

}  // namespace flarestack::query
