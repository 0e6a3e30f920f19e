// SPDX-License-Identifier: Apache-2.0
//
// Cost over time, in total or by attribute values: charts, histories, and heat maps, whose cells
// are the steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "query/data/data_source.h"
#include "query/scope/profile_scope.h"

namespace flarestack::query {

struct TimeSeriesOptions {
  uint64_t step_nanos = 0;
  std::vector<std::string> by;  // one line per combination of values
  size_t lines_max = 10;        // the largest; the rest becomes one more line
};

struct TimeSeriesLine {
  std::vector<std::string> labels;  // one per key of `by`; empty if the attribute is missing
  bool is_rest = false;
  int64_t total = 0;            // for a gauge, the average
  std::vector<int64_t> values;  // by step
};

struct TimeSeries {
  std::string type;
  std::string unit;
  bool is_gauge = false;  // values are states (model/gauge_type.h)
  uint64_t from_nanos = 0;
  uint64_t step_nanos = 0;
  std::vector<TimeSeriesLine> lines;  // largest total first, the rest last
  size_t line_count = 0;              // including those in the rest
  // How much of the range has data: gaps of up to three usual intervals are bridged, longer ones
  // are not observed. Costs divided by it are rates, such as cores.
  uint64_t observed_nanos = 0;
  int64_t total_before_filter = 0;
  ReadExtent extent;
};

// Returns kInvalidArgument if the step is too short for the range.
absl::StatusOr<TimeSeries> ReadTimeSeries(const DataSource& source, const ProfileScope& scope,
                                          const TimeSeriesOptions& options,
                                          const ReadLimits& limits);

}  // namespace flarestack::query
