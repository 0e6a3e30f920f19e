// SPDX-License-Identifier: Apache-2.0
//
// Computes the lines of a chart from the points of one metric: groups series, and divides time into
// steps.
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

// Steps start at multiples of their length, so that equal steps of two responses can be compared.
// Returns kInvalidArgument if there are more than kStepsMax. Without a length, chooses one that
// gives a few hundred steps and is no shorter than the interval between points (0: unknown).
absl::StatusOr<StepGrid> MakeGrid(store::TimeRange range, std::optional<uint64_t> step_nanos,
                                  uint64_t interval_nanos = 0);

struct MetricOptions {
  StepGrid grid;
  std::optional<Aggregate> aggregate;  // default: sum for sums, else avg
  bool is_rate = false;
  std::vector<std::string> by;  // attributes of the points, or of the resource
  size_t top = 10;              // lines; the rest becomes one more
  size_t exemplars_max = 100;   // per line; the largest values
  size_t cells_max = 400'000;   // groups times steps
};

struct MetricExemplar {
  uint64_t time = 0;  // ns since the epoch
  double value = 0;
  std::string trace_id;
  std::string span_id;
};

struct MetricLine {
  std::vector<std::string> key;  // values of `by`, as text; empty for the rest
  bool is_rest = false;
  size_t series_count = 0;
  size_t group_count = 1;                 // more than one for the rest
  uint64_t interval_nanos = 0;            // shortest of its series; 0: unknown
  std::vector<double> values;             // one per step; NaN: none
  std::vector<MetricExemplar> exemplars;  // by time
};

struct MetricResult {
  model::MetricKind kind = model::MetricKind::kNone;
  model::Temporality temporality = model::Temporality::kUnspecified;
  bool is_monotonic = false;
  std::string unit;
  std::string description;
  Aggregate aggregate;
  std::vector<MetricLine> lines;  // largest first, the rest last
};

// All metrics of the batch must have the same name, and each must be one series, as returned by the
// store. Returns kInvalidArgument if kinds or units are mixed, an aggregate does not fit, or there
// are too many groups.
absl::StatusOr<MetricResult> QueryMetric(const model::MetricBatch& batch,
                                         const MetricOptions& options);

}  // namespace flarestack::query
