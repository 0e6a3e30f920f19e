// SPDX-License-Identifier: Apache-2.0
#include "query/reports/neighbours.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/saturating.h"
#include "query/reports/top.h"

namespace flarestack::query {
namespace {

// Sums by pair of functions, counting each pair once per stack.
class EdgeSums {
 public:
  void Add(TextId caller, TextId callee, uint32_t stack_number, int64_t value) {
    Sum& sum = sums_[{caller.value, callee.value}];
    if (std::exchange(sum.last_stack, stack_number) != stack_number)
      sum.value = base::SaturatingAdd(sum.value, value);
  }

  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const auto& [pair, sum] : sums_)
      visit(TextId{pair.first}, TextId{pair.second}, sum.value);
  }

 private:
  struct Sum {
    int64_t value = 0;
    uint32_t last_stack = 0;
  };
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, Sum> sums_;
};

void Sort(const FrameTable& table, std::vector<Neighbour>* neighbours) {
  std::ranges::sort(*neighbours, [&](const Neighbour& a, const Neighbour& b) {
    if (a.value != b.value)
      return a.value > b.value;
    return table.Text(a.function) < table.Text(b.function);
  });
}

}  // namespace

std::vector<Neighbourhood> Neighbours(const StackSet& set, const Pattern& pattern) {
  const FrameTable& table = set.table;
  std::vector<Neighbourhood> found;
  std::vector<uint32_t> place(table.text_count(), 0);  // in `found`, plus one, by function
  for (const TopRow& row : Top(set, TopOrder::kTotal)) {
    const TextId function = table.At(row.frame).function;
    if (!pattern.IsIn(table.Text(function)))
      continue;
    found.push_back({.function = function, .self = row.self, .total = row.total});
    place[function.value] = static_cast<uint32_t>(found.size());
  }

  EdgeSums edges;
  uint32_t stack_number = 0;
  for (const StackRow& row : set.rows) {
    ++stack_number;
    const auto stack = set.FramesOf(row);
    for (size_t i = 1; i < stack.size(); ++i) {
      const TextId caller = table.At(stack[i - 1]).function;
      const TextId callee = table.At(stack[i]).function;
      if (caller != callee && (place[caller.value] != 0 || place[callee.value] != 0))
        edges.Add(caller, callee, stack_number, row.value);
    }
  }
  edges.ForEach([&](TextId caller, TextId callee, int64_t value) {
    if (const uint32_t at = place[callee.value]; at != 0)
      found[at - 1].callers.push_back({.function = caller, .value = value});
    if (const uint32_t at = place[caller.value]; at != 0)
      found[at - 1].callees.push_back({.function = callee, .value = value});
  });
  for (Neighbourhood& neighbourhood : found) {
    Sort(table, &neighbourhood.callers);
    Sort(table, &neighbourhood.callees);
  }
  return found;
}

}  // namespace flarestack::query
