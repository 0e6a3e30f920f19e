// SPDX-License-Identifier: Apache-2.0
//
// The callers and callees of a function. A pair of functions counts once per stack, no matter how
// often one calls the other in it. Direct recursion does not count.
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
  std::vector<Neighbour> callers;  // largest first, then by name
  std::vector<Neighbour> callees;
};

// One entry per function whose name matches, most expensive first.
std::vector<Neighbourhood> Neighbours(const StackSet& set, const Pattern& pattern);

}  // namespace flarestack::query
