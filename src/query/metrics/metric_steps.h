// SPDX-License-Identifier: Apache-2.0
//
// Maps one series of metric points to steps of equal length, and adds it to the values of other
// series in those steps.
//
//   gauge, sum that can fall    its values in the step, else the last value before
//   counter                     cumulative: the last value; delta: the amount added in the step
//   counter as a rate           the amount added per second
//   histogram                   the values added in the step, as a distribution
//
// A gauge or cumulative counter keeps its value between two points that are at most three intervals
// of the series apart. Otherwise, the sum of two senders would drop to one of them in each step
// that has no point of the other.
//
// The increase of a counter between two points is spread evenly over the time between them. A rate
// covers only the part of a step for which data is known. So it does not jump if steps are shorter
// than the sender's interval, and does not drop while the newest points are still missing. A
// counter that was reset (a new start time, or a smaller value) rose from zero.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "model/metric.h"
#include "query/metrics/histogram.h"

namespace flarestack::query {

// `count` steps, starting at `begin`.
struct StepGrid {
  uint64_t begin = 0;  // ns since the epoch
  uint64_t step = 1;   // ns
  size_t count = 0;

  uint64_t end() const { return begin + step * count; }
  std::optional<size_t> Find(uint64_t time) const {
    if (time < begin || (time - begin) / step >= count)
      return std::nullopt;
    return static_cast<size_t>((time - begin) / step);
  }
};

struct Aggregate {
  enum class Kind : uint8_t { kSum, kAvg, kMin, kMax, kCount, kQuantile };
  Kind kind = Kind::kSum;
  double share = 0;  // for kQuantile
};

// The combined values of all series of a group in one step.
struct StepCell {
  double sum = 0;  // one summand per series
  double value_sum = 0;
  double value_count = 0;
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  Histogram histogram;

  void AddValue(double value);
  void Add(const StepCell& other);
  // NaN if the cell is empty.
  double Value(const Aggregate& aggregate) const;
};

struct StepOptions {
  StepGrid grid;
  Aggregate aggregate;
  bool is_rate = false;
};

// Adds the points of `metric`, one series in ascending time order, to `cells`, one per step. Points
// before the grid provide the initial value of a counter.
void AddToSteps(const model::MetricBatch& batch, const model::Metric& metric,
                const StepOptions& options, std::vector<StepCell>* cells);

// Returns kInvalidArgument with the supported aggregates if the metric does not have this one, or
// has no rate.
absl::Status CheckAggregate(const model::Metric& metric, const StepOptions& options);

}  // namespace flarestack::query
