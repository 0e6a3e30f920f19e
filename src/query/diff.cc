// SPDX-License-Identifier: Apache-2.0
#include "query/diff.h"

#include <algorithm>
#include <cmath>

#include "absl/container/flat_hash_map.h"
#include "base/saturating.h"
#include "base/text.h"
#include "query/noise.h"
#include "query/top.h"

namespace flarestack::query {
namespace {

constexpr int64_t kUnbalancedFactor = 4;

DiffSide SideOf(const StackSet& set) {
  DiffSide side = {.total = set.Total(), .duration_nanos = set.duration_nanos};
  for (const StackRow& row : set.rows)
    side.events = base::SaturatingAdd(side.events, row.events);
  return side;
}

struct Exposure {
  double before = 1;
  double after = 1;
};

absl::StatusOr<Exposure> ExposureOf(const DiffSide& before, const DiffSide& after,
                                    const DiffOptions& options) {
  const auto both = [](double a, double b, std::string_view what) -> absl::StatusOr<Exposure> {
    if (a > 0 && b > 0)
      return Exposure{.before = a, .after = b};
    return absl::InvalidArgumentError(
        base::StrCat(a > 0 ? "the second" : "the first", " profile ", what));
  };
  switch (options.norm) {
    case DiffNorm::kShare:
      return both(static_cast<double>(before.total), static_cast<double>(after.total),
                  "has no positive total to take shares of");
    case DiffNorm::kRate:
      return both(static_cast<double>(before.duration_nanos),
                  static_cast<double>(after.duration_nanos),
                  "does not say how long it was recorded");
    case DiffNorm::kRequest:
      return both(options.requests_before, options.requests_after,
                  "has no number of requests beside it");
    case DiffNorm::kNone:
      return Exposure{};
  }
  return Exposure{};
}

struct FunctionSums {
  int64_t self[2] = {0, 0};
  int64_t total[2] = {0, 0};
  int64_t events[2] = {0, 0};  // of the stacks that it stands in
};

using SumsByName = absl::flat_hash_map<std::string, FunctionSums>;

void AddSide(const StackSet& set, int side, SumsByName* sums) {
  std::vector<int64_t> events(set.table.text_count(), 0);
  std::vector<uint32_t> seen(set.table.text_count(), 0);
  uint32_t row_number = 0;
  for (const StackRow& row : set.rows) {
    ++row_number;
    for (const FrameId frame : set.FramesOf(row)) {
      const uint32_t function = set.table.At(frame).function.value;
      if (std::exchange(seen[function], row_number) != row_number)
        events[function] = base::SaturatingAdd(events[function], row.events);
    }
  }
  for (const TopRow& row : Top(set, TopOrder::kTotal)) {
    FunctionSums& sum = (*sums)[std::string(set.table.FunctionOf(row.frame))];
    sum.self[side] = row.self;
    sum.total[side] = row.total;
    sum.events[side] = events[set.table.At(row.frame).function.value];
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

void JudgeRows(const SumsByName& sums, const Exposure& exposure, Diff* diff) {
  std::vector<double> probabilities;
  std::vector<DiffRow*> judged;
  for (DiffRow& row : diff->rows) {
    const FunctionSums& sum = sums.at(row.function);
    row.probability =
        diff->norm == DiffNorm::kShare
            ? ShareProbability(sum.events[0], diff->before.events, sum.events[1],
                               diff->after.events)
            : SplitProbability(sum.events[0], sum.events[1], exposure.before, exposure.after);
    if (sum.events[0] < kDiffEventsMin && sum.events[1] < kDiffEventsMin)
      continue;
    judged.push_back(&row);
    probabilities.push_back(row.probability);
  }
  const std::vector<bool> findings = Findings(probabilities, kFalseFindingRate);
  for (size_t i = 0; i < judged.size(); ++i)
    judged[i]->is_significant = findings[i];
}

}  // namespace

absl::StatusOr<Diff> Compare(const StackSet& before, const StackSet& after,
                             const DiffOptions& options) {
  if (before.unit != after.unit) {
    return absl::InvalidArgumentError(
        base::StrCat("the first profile is in ", before.unit, ", the second in ", after.unit));
  }
  Diff diff = {.norm = options.norm, .type = before.type, .unit = before.unit};
  diff.before = SideOf(before);
  diff.after = SideOf(after);
  const absl::StatusOr<Exposure> exposure = ExposureOf(diff.before, diff.after, options);
  if (!exposure.ok())
    return exposure.status();
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
  JudgeRows(sums, *exposure, &diff);
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
