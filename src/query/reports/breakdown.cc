// SPDX-License-Identifier: Apache-2.0
#include "query/reports/breakdown.h"

#include <algorithm>
#include <map>

#include "base/saturating.h"

namespace flarestack::query {

std::vector<BreakdownRow> Breakdown(const StackSet& set, std::string_view key) {
  std::vector<int64_t> sums(set.tag_sets.size(), 0);
  std::vector<bool> is_used(set.tag_sets.size(), false);
  for (const StackRow& row : set.rows) {
    sums[row.tags.value] = base::SaturatingAdd(sums[row.tags.value], row.value);
    is_used[row.tags.value] = true;
  }
  std::map<std::pair<bool, std::string>, int64_t> by_value;
  for (size_t i = 0; i < set.tag_sets.size(); ++i) {
    if (!is_used[i])
      continue;
    bool is_missing = true;
    std::string value;
    for (const Tag& tag : model::In(set.tags, set.tag_sets[i])) {
      if (set.table.Text(tag.key) != key)
        continue;
      if (!is_missing)
        value += ", ";
      value += set.table.Text(tag.value);
      is_missing = false;
    }
    int64_t& sum = by_value[{is_missing, std::move(value)}];
    sum = base::SaturatingAdd(sum, sums[i]);
  }
  std::vector<BreakdownRow> rows;
  for (const auto& [name, total] : by_value)
    rows.push_back({.value = name.second, .is_missing = name.first, .total = total});
  std::ranges::stable_sort(rows, std::greater(), &BreakdownRow::total);
  return rows;
}

}  // namespace flarestack::query
