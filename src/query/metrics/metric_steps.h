// SPDX-License-Identifier: Apache-2.0
//
// One series of metric points laid over steps of equal length, and added to what other series have
// there.
//
//   gauge, sum that can fall    its values in the step, else the last value before
//   counter                     cumulative: the last value; delta: what was added in the step
//   counter as a rate           what was added per second
//   histogram                   what was added in the step, as a distribution
//
// A gauge or cumulative counter keeps its value between two points that are at most three of the
// series' own intervals apart. Without that, the sum of two senders would drop to one of them in
// each step that has no point of the other.
//
// What a counter rose by between two points is spread evenly over the time between them, and a rate
// is that of the part of a step about which something is known: the rate neither jumps where steps
// are shorter than the sender's interval, nor sinks where the newest points have not come yet. A
// counter that began anew (another start time, or a smaller value) rose from zero.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "model/metric.h"
#include "query/metrics/histogram.h"

namespace flarestack::query {

// `count` steps from `begin` on.
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
  double share = 0;  // of kQuantile
};

// What all series of a group have in one step.
struct StepCell {
  double sum = 0;  // one summand a series
  double value_sum = 0;
  double value_count = 0;
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  Histogram histogram;

  void AddValue(double value);
  void Add(const StepCell& other);
  // NaN where there is nothing.
  double Value(const Aggregate& aggregate) const;
};

struct StepOptions {
  StepGrid grid;
  Aggregate aggregate;
  bool is_rate = false;
};

// The points of `metric`, which are of one series and go up in time, added to `cells`, one for each
// step. Points before the grid tell what a counter rose from.
void AddToSteps(const model::MetricBatch& batch, const model::Metric& metric,
                const StepOptions& options, std::vector<StepCell>* cells);

// kInvalidArgument where a metric has no such aggregate or no rate; says what it has.
absl::Status CheckAggregate(const model::Metric& metric, const StepOptions& options);

}  // namespace flarestack::query
