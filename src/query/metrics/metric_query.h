// SPDX-License-Identifier: Apache-2.0
//
// Lines for a chart out of the points of one metric: series joined into groups, time into steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "query/metrics/metric_steps.h"
#include "store/store.h"

namespace flarestack::query {

inline constexpr size_t kStepsMax = 2000;

// sum, avg, min, max, count, or a percentile such as p95 or p99.9.
absl::StatusOr<Aggregate> ParseAggregate(std::string_view text);
std::string AggregateText(const Aggregate& aggregate);

// Steps that begin at multiples of their length, so that equal steps of two answers can be
// compared. kInvalidArgument where there are more than kStepsMax. Without a length, one that makes
// a few hundred, and no shorter than the interval in which points come (0: not known).
absl::StatusOr<StepGrid> MakeGrid(store::TimeRange range, std::optional<uint64_t> step_nanos,
                                  uint64_t interval_nanos = 0);

struct MetricOptions {
  StepGrid grid;
  std::optional<Aggregate> aggregate;  // else avg; sum for sums
  bool is_rate = false;
  std::vector<std::string> by;  // attributes of the points, or of the resource
  size_t top = 10;              // lines; the rest is one more
  size_t exemplars_max = 100;   // of each line; the largest values
  size_t cells_max = 400'000;   // groups times steps
};

struct MetricExemplar {
  uint64_t time = 0;  // ns since the epoch
  double value = 0;
  std::string trace_id;
  std::string span_id;
};

struct MetricLine {
  std::vector<std::string> key;  // values of `by`, as text; none for the rest
  bool is_rest = false;
  size_t series_count = 0;
  size_t group_count = 1;                 // more than one for the rest
  uint64_t interval_nanos = 0;            // the shortest of its series; 0: not known
  std::vector<double> values;             // one a step; NaN: none
  std::vector<MetricExemplar> exemplars;  // by time
};

struct MetricAnswer {
  model::MetricKind kind = model::MetricKind::kNone;
  model::Temporality temporality = model::Temporality::kUnspecified;
  bool is_monotonic = false;
  std::string unit;
  std::string description;
  Aggregate aggregate;
  std::vector<MetricLine> lines;  // the largest first, the rest last
};

// All metrics of the batch must have one name, and each is one series, as the store gives them.
// kInvalidArgument where kinds or units are mixed, an aggregate does not fit, or there are too many
// groups.
absl::StatusOr<MetricAnswer> QueryMetric(const model::MetricBatch& batch,
                                         const MetricOptions& options);

}  // namespace flarestack::query
