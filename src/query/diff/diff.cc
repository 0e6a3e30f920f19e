// SPDX-License-Identifier: Apache-2.0
#include "query/diff/diff.h"

#include <algorithm>
#include <cmath>

#include "absl/container/flat_hash_map.h"
#include "base/saturating.h"
#include "base/text/text.h"
#include "query/reports/top.h"
#include "query/stacks/item_sums.h"

namespace flarestack::query {
namespace {

constexpr int64_t kUnbalancedFactor = 4;

struct FunctionSums {
  int64_t self[2] = {0, 0};
  int64_t total[2] = {0, 0};
  std::optional<uint32_t> item[2];  // in the ItemSums of that side, if it has one
};

using SumsByName = absl::flat_hash_map<std::string, FunctionSums>;

void AddSide(const StackSet& set, int side, SumsByName* sums) {
  for (const TopRow& row : Top(set, TopOrder::kTotal)) {
    FunctionSums& sum = (*sums)[std::string(set.table.FunctionOf(row.frame))];
    sum.self[side] = row.self;
    sum.total[side] = row.total;
    sum.item[side] = set.table.At(row.frame).function.value;
  }
}

std::optional<double> Ratio(int64_t before, int64_t after, double scale) {
  if (before == 0)
    return std::nullopt;
  return static_cast<double>(after) * scale / static_cast<double>(before);
}

double Delta(int64_t before, int64_t after, double scale) {
  return static_cast<double>(after) * scale - static_cast<double>(before);
}

void JudgeRows(const Sides& sides, const SumsByName& sums, Diff* diff) {
  const ItemSums items[2] = {SumFunctions(sides.before), SumFunctions(sides.after)};
  std::vector<Observed> observed(diff->rows.size());
  for (size_t i = 0; i < diff->rows.size(); ++i) {
    const FunctionSums& sum = sums.at(diff->rows[i].function);
    for (const int side : {0, 1}) {
      observed[i].totals[side] = sum.total[side];
      if (!sum.item[side].has_value())
        continue;
      observed[i].events[side] = items[side].events[*sum.item[side]];
      observed[i].values[side] = items[side].values[*sum.item[side]];
    }
  }
  const NoiseJudge judge(sides, diff->norm, diff->exposure);
  diff->noise_test = judge.test();
  const std::vector<Verdict> verdicts = judge.Judge(observed);
  for (size_t i = 0; i < verdicts.size(); ++i) {
    diff->rows[i].probability = verdicts[i].probability;
    diff->rows[i].is_significant = verdicts[i].is_significant;
  }
}

}  // namespace

absl::StatusOr<Diff> Compare(const StackSet& before, const StackSet& after,
                             const DiffOptions& options) {
  if (before.unit != after.unit) {
    return absl::InvalidArgumentError(
        base::StrCat("the first profile is in ", before.unit, ", the second in ", after.unit));
  }
  DiffOptions effective = options;
  effective.norm = NormFor(before.type, options.norm);
  Diff diff = {.norm = effective.norm, .type = before.type, .unit = before.unit};
  diff.before = SideOf(before);
  diff.after = SideOf(after);
  const absl::StatusOr<Exposure> exposure = ExposureOf(diff.before, diff.after, effective);
  if (!exposure.ok())
    return exposure.status();
  diff.exposure = *exposure;
  diff.scale = exposure->before / exposure->after;
  diff.total_delta = Delta(diff.before.total, diff.after.total, diff.scale);
  diff.total_ratio = Ratio(diff.before.total, diff.after.total, diff.scale);
  diff.is_unbalanced = diff.before.events / kUnbalancedFactor > diff.after.events ||
                       diff.after.events / kUnbalancedFactor > diff.before.events;
  SumsByName sums;
  AddSide(before, 0, &sums);
  AddSide(after, 1, &sums);
  for (const auto& [name, sum] : sums) {
    diff.rows.push_back({.function = name,
                         .before = sum.total[0],
                         .after = sum.total[1],
                         .self_before = sum.self[0],
                         .self_after = sum.self[1],
                         .delta = Delta(sum.total[0], sum.total[1], diff.scale),
                         .self_delta = Delta(sum.self[0], sum.self[1], diff.scale),
                         .ratio = Ratio(sum.total[0], sum.total[1], diff.scale)});
  }
  JudgeRows({.before = before, .after = after}, sums, &diff);
  diff.total_verdict = JudgeTotal({.before = before, .after = after});
  std::ranges::sort(diff.rows, [](const DiffRow& a, const DiffRow& b) {
    if (std::abs(a.delta) != std::abs(b.delta))
      return std::abs(a.delta) > std::abs(b.delta);
    if (std::abs(a.self_delta) != std::abs(b.self_delta))
      return std::abs(a.self_delta) > std::abs(b.self_delta);
    return a.function < b.function;
  });
  return diff;
}

}  // namespace flarestack::query
