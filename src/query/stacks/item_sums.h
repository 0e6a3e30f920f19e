// SPDX-License-Identifier: Apache-2.0
//
// The input of a noise test for each item it judges (a function or a tree node): the number of
// events, and the value per instance.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "query/stacks/stack_set.h"

namespace flarestack::query {

struct InstanceValue {
  uint32_t instance = 0;  // in StackSet::instances
  double value = 0;
};

struct ItemSums {
  std::vector<int64_t> events;  // by item
  std::vector<std::vector<InstanceValue>>
      values;  // by item; only instances that have it, ascending
};

// Appends the items that a row counts for, each once, so that recursion does not count twice.
using ItemsOfRow = absl::FunctionRef<void(uint32_t row, std::vector<uint32_t>* items)>;

// Items are below item_count. Values stay empty unless the set distinguishes instances.
ItemSums SumItems(const StackSet& set, size_t item_count, ItemsOfRow items_of_row);

// Items are the texts of set.table: the functions in a stack.
ItemSums SumFunctions(const StackSet& set);

}  // namespace flarestack::query
