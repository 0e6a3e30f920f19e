// SPDX-License-Identifier: Apache-2.0
//
// Cost over time, in all or by the values of attributes: charts, histories, and heat maps, whose
// cells are the steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "query/scope/profile_scope.h"

namespace flarestack::query {

struct TimeSeriesOptions {
  uint64_t step_nanos = 0;
  std::vector<std::string> by;  // one line for each combination of values
  size_t lines_max = 10;        // the largest; the rest is one more line
};

struct TimeSeriesLine {
  std::vector<std::string> labels;  // by key of `by`; empty where the attribute is missing
  bool is_rest = false;
  int64_t total = 0;            // of a gauge the average
  std::vector<int64_t> values;  // by step
};

struct TimeSeries {
  std::string type;
  std::string unit;
  bool is_gauge = false;  // values are states (model/gauge_type.h)
  uint64_t from_nanos = 0;
  uint64_t step_nanos = 0;
  std::vector<TimeSeriesLine> lines;  // the largest total first, the rest last
  size_t line_count = 0;              // with those in the rest
  // How much of the range has data: gaps between steps of one interval are joined, longer ones are
  // not observed. Costs divided by it are rates, such as cores.
  uint64_t observed_nanos = 0;
  int64_t total_before_filter = 0;
  ReadExtent extent;
};

// kInvalidArgument for a step that makes too many.
absl::StatusOr<TimeSeries> ReadTimeSeries(store::Store* store, const ProfileScope& scope,
                                          const TimeSeriesOptions& options,
                                          const ReadLimits& limits);

}  // namespace flarestack::query
