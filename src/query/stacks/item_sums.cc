// SPDX-License-Identifier: Apache-2.0
#include "query/stacks/item_sums.h"

#include <algorithm>
#include <utility>

#include "base/saturating.h"

namespace flarestack::query {
namespace {

struct RowValue {
  uint32_t row = 0;
  double value = 0;
};

// Inverts the chains: from the parts of each row to the rows of each instance.
std::vector<std::vector<RowValue>> RowsByInstance(const StackSet& set) {
  std::vector<std::vector<RowValue>> rows(set.instances.size());
  for (uint32_t row = 0; row < set.rows.size(); ++row) {
    for (uint32_t at = set.rows[row].first_part; at != InstancePart::kNone;
         at = set.parts[at].next) {
      rows[set.parts[at].instance].push_back(
          {.row = row, .value = static_cast<double>(set.parts[at].value)});
    }
  }
  return rows;
}

}  // namespace

ItemSums SumItems(const StackSet& set, size_t item_count, ItemsOfRow items_of_row) {
  ItemSums sums = {.events = std::vector<int64_t>(item_count, 0),
                   .values = std::vector<std::vector<InstanceValue>>(item_count)};
  std::vector<uint32_t> items;
  for (uint32_t row = 0; row < set.rows.size(); ++row) {
    items.clear();
    items_of_row(row, &items);
    for (const uint32_t item : items)
      sums.events[item] = base::SaturatingAdd(sums.events[item], set.rows[row].events);
  }
  // Instance by instance: its value is always the last in an item's list, so no table of instances
  // by items is needed.
  const std::vector<std::vector<RowValue>> rows = RowsByInstance(set);
  for (uint32_t instance = 0; instance < rows.size(); ++instance) {
    for (const RowValue& part : rows[instance]) {
      items.clear();
      items_of_row(part.row, &items);
      for (const uint32_t item : items) {
        std::vector<InstanceValue>& values = sums.values[item];
        if (values.empty() || values.back().instance != instance)
          values.push_back({.instance = instance});
        values.back().value += part.value;
      }
    }
  }
  return sums;
}

ItemSums SumFunctions(const StackSet& set) {
  const size_t text_count = set.table.text_count();
  std::vector<uint64_t> seen(text_count, 0);  // last visit that saw the function
  uint64_t visit = 0;
  return SumItems(set, text_count, [&](uint32_t row, std::vector<uint32_t>* functions) {
    ++visit;
    for (const FrameId frame : set.FramesOf(set.rows[row])) {
      const uint32_t function = set.table.At(frame).function.value;
      if (std::exchange(seen[function], visit) != visit)
        functions->push_back(function);
    }
  });
}

}  // namespace flarestack::query
