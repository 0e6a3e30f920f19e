// SPDX-License-Identifier: Apache-2.0
#include "query/reports/line_costs.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/saturating.h"
#include "query/reports/top.h"

namespace flarestack::query {

std::vector<LineCost> LineCosts(const StackSet& set, const Pattern& pattern) {
  const FrameTable& table = set.table;
  std::vector<uint32_t> rank(table.text_count(), 0);  // of matching functions, from 1
  uint32_t matches = 0;
  for (const TopRow& row : Top(set, TopOrder::kTotal)) {
    const TextId function = table.At(row.frame).function;
    if (pattern.IsIn(table.Text(function)))
      rank[function.value] = ++matches;
  }

  std::vector<LineCost> costs;
  std::vector<uint32_t> last_row;  // last row counted, by position in `costs`
  absl::flat_hash_map<std::tuple<uint32_t, uint32_t, int64_t>, uint32_t> places;
  uint32_t row_number = 0;
  for (const StackRow& row : set.rows) {
    ++row_number;
    const auto stack = set.FramesOf(row);
    for (size_t i = 0; i < stack.size(); ++i) {
      const Frame& frame = table.At(stack[i]);
      if (rank[frame.function.value] == 0)
        continue;
      const auto [it, added] =
          places.try_emplace({frame.function.value, frame.file.value, frame.line}, costs.size());
      if (added) {
        costs.push_back({.function = frame.function, .file = frame.file, .line = frame.line});
        last_row.push_back(0);
      }
      LineCost& cost = costs[it->second];
      if (std::exchange(last_row[it->second], row_number) != row_number)
        cost.total = base::SaturatingAdd(cost.total, row.value);
      if (i + 1 == stack.size())
        cost.self = base::SaturatingAdd(cost.self, row.value);
    }
  }
  std::ranges::sort(costs, [&](const LineCost& a, const LineCost& b) {
    const auto key = [&](const LineCost& cost) {
      return std::tuple(rank[cost.function.value], table.Text(cost.file), cost.line);
    };
    return key(a) < key(b);
  });
  return costs;
}

}  // namespace flarestack::query
