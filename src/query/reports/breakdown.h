// SPDX-License-Identifier: Apache-2.0
//
// Cost by the values of an attribute. The stack set must keep its key as a tag.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "query/stacks/stack_set.h"

namespace flarestack::query {

struct BreakdownRow {
  std::string value;
  bool is_missing = false;  // samples without the attribute
  int64_t total = 0;
};

// Most expensive first, then by value. A sample with two values of the key counts for "a, b", so
// that the rows add up to the total.
std::vector<BreakdownRow> Breakdown(const StackSet& set, std::string_view key);

}  // namespace flarestack::query
