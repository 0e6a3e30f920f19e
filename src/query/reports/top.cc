// SPDX-License-Identifier: Apache-2.0
#include "query/reports/top.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "base/check.h"
#include "base/helper_pool.h"
#include "base/saturating.h"

namespace flarestack::query {
namespace {

// The cost of a function or a frame.
struct Cost {
  int64_t self = 0;
  int64_t total = 0;
  uint32_t last_row = 0;  // last row counted, plus one: cheaper than a set per stack
};

void Add(int64_t value, int64_t* sum) { *sum = base::SaturatingAdd(*sum, value); }

struct Costs {
  explicit Costs(const FrameTable& table)
      : functions(table.text_count()), frames(table.frame_count()) {}

  std::vector<Cost> functions;  // by text
  std::vector<Cost> frames;
};

std::vector<uint32_t> FunctionsOfFrames(const FrameTable& table) {
  std::vector<uint32_t> functions(table.frame_count());
  for (uint32_t i = 0; i < functions.size(); ++i)
    functions[i] = table.At({i}).function.value;
  return functions;
}

void CountRow(int64_t value, uint32_t row_number, Cost* cost) {
  if (std::exchange(cost->last_row, row_number) != row_number)
    Add(value, &cost->total);
}

void CountRows(const StackSet& set, std::span<const StackRow> rows,
               const std::vector<uint32_t>& function_of, Costs* costs) {
  uint32_t row_number = 0;
  for (const StackRow& row : rows) {
    ++row_number;
    const auto stack = set.FramesOf(row);
    for (const FrameId frame : stack) {
      CountRow(row.value, row_number, &costs->functions[function_of[frame.value]]);
      CountRow(row.value, row_number, &costs->frames[frame.value]);
    }
    if (!stack.empty()) {
      Add(row.value, &costs->functions[function_of[stack.back().value]].self);
      Add(row.value, &costs->frames[stack.back().value].self);
    }
  }
}

void AddUp(const std::vector<Cost>& part, std::vector<Cost>* sum) {
  for (size_t i = 0; i < part.size(); ++i) {
    Add(part[i].self, &(*sum)[i].self);
    Add(part[i].total, &(*sum)[i].total);
    (*sum)[i].last_row |= part[i].last_row;  // 0 stays 0
  }
}

// Counts many rows on several threads, each with its own tables.
Costs CountAll(const StackSet& set, const std::vector<uint32_t>& function_of) {
  constexpr size_t kRowsMin = 50'000;  // per part; below, merging takes longer than counting
  constexpr size_t kPartsMax = 8;
  const size_t part_count = std::clamp<size_t>(set.rows.size() / kRowsMin, 1, kPartsMax);
  std::vector<Costs> parts(part_count, Costs(set.table));
  const size_t part_rows = (set.rows.size() + part_count - 1) / part_count;
  const absl::Status done = base::ParallelFor(part_count, [&](size_t part) {
    const size_t begin = std::min(set.rows.size(), part * part_rows);
    const size_t count = std::min(part_rows, set.rows.size() - begin);
    CountRows(set, std::span(set.rows).subspan(begin, count), function_of, &parts[part]);
    return absl::OkStatus();
  });
  FLARE_CHECK(done.ok());
  for (size_t part = 1; part < part_count; ++part) {
    AddUp(parts[part].functions, &parts[0].functions);
    AddUp(parts[part].frames, &parts[0].frames);
  }
  return std::move(parts[0]);
}

}  // namespace

std::vector<TopRow> Top(const StackSet& set, TopOrder order) {
  const FrameTable& table = set.table;
  const std::vector<uint32_t> function_of = FunctionsOfFrames(table);
  const auto [functions, frames] = CountAll(set, function_of);

  std::vector<TopRow> rows;
  std::vector<uint32_t> row_of_function(table.text_count(), 0);  // plus one
  for (uint32_t i = 0; i < table.frame_count(); ++i) {
    if (frames[i].last_row == 0)
      continue;  // a filter removed all its stacks
    const uint32_t function = function_of[i];
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
