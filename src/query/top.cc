// SPDX-License-Identifier: Apache-2.0
#include "query/top.h"

#include <algorithm>
#include <tuple>

#include "base/saturating.h"

namespace flarestack::query {
namespace {

struct Cost {
  int64_t self = 0;
  int64_t total = 0;
};

void Add(int64_t value, int64_t* sum) { *sum = base::SaturatingAdd(*sum, value); }

}  // namespace

std::vector<TopRow> Top(const StackSet& set, TopOrder order) {
  const FrameTable& table = set.table;
  std::vector<Cost> functions(table.text_count());
  std::vector<Cost> frames(table.frame_count());
  // The number of the row that was counted last, plus one: cheaper than a set per stack.
  std::vector<uint32_t> function_seen(table.text_count(), 0);
  std::vector<uint32_t> frame_seen(table.frame_count(), 0);
  uint32_t row_number = 0;
  for (const StackRow& row : set.rows) {
    ++row_number;
    const auto stack = set.FramesOf(row);
    for (const FrameId frame : stack) {
      const uint32_t function = table.At(frame).function.value;
      if (std::exchange(function_seen[function], row_number) != row_number)
        Add(row.value, &functions[function].total);
      if (std::exchange(frame_seen[frame.value], row_number) != row_number)
        Add(row.value, &frames[frame.value].total);
    }
    if (!stack.empty()) {
      Add(row.value, &functions[table.At(stack.back()).function.value].self);
      Add(row.value, &frames[stack.back().value].self);
    }
  }

  std::vector<TopRow> rows;
  std::vector<uint32_t> row_of_function(table.text_count(), 0);  // plus one
  for (uint32_t i = 0; i < table.frame_count(); ++i) {
    if (frame_seen[i] == 0)
      continue;  // a filter took all its stacks
    const uint32_t function = table.At({i}).function.value;
    uint32_t& at = row_of_function[function];
    if (at == 0) {
      rows.push_back(
          {.frame = {i}, .self = functions[function].self, .total = functions[function].total});
      at = static_cast<uint32_t>(rows.size());
      continue;
    }
    const Cost& best = frames[rows[at - 1].frame.value];
    if (std::tie(frames[i].self, frames[i].total) > std::tie(best.self, best.total))
      rows[at - 1].frame = {i};
  }
  std::ranges::sort(rows, [&](const TopRow& a, const TopRow& b) {
    const auto key = [&](const TopRow& row) {
      return order == TopOrder::kSelf ? std::pair(row.self, row.total)
                                      : std::pair(row.total, row.self);
    };
    if (key(a) != key(b))
      return key(a) > key(b);
    return table.FunctionOf(a.frame) < table.FunctionOf(b.frame);
  });
  return rows;
}

}  // namespace flarestack::query
