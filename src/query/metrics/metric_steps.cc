// SPDX-License-Identifier: Apache-2.0
#include "query/metrics/metric_steps.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/status.h"
#include "query/metrics/metric_interval.h"
#include "query/metrics/metric_rises.h"

namespace flarestack::query {
namespace {

using Kind = Aggregate::Kind;
using model::MetricKind;

constexpr double kNanosPerSecond = 1e9;

template <typename T, typename Amount>
void AddRates(const std::vector<Rise<T>>& rises, const StepGrid& grid, Amount amount,
              std::vector<StepCell>* cells) {
  std::vector<double> added(grid.count);
  std::vector<double> known_nanos(grid.count);
  for (const Rise<T>& rise : rises) {
    // A rise of zero length counts for the step that contains it.
    const auto only = rise.from >= rise.to ? grid.Find(rise.to) : std::nullopt;
    if (only.has_value()) {
      added[*only] += amount(rise.amount);
      known_nanos[*only] = std::max(known_nanos[*only], static_cast<double>(grid.step));
    }
    uint64_t from = std::max(rise.from, grid.begin);
    const uint64_t to = std::min(rise.to, grid.end());
    while (from < to) {
      const size_t step = *grid.Find(from);
      const uint64_t step_end = std::min(grid.begin + grid.step * (step + 1), to);
      const auto nanos = static_cast<double>(step_end - from);
      added[step] += amount(rise.amount) * nanos / static_cast<double>(rise.to - rise.from);
      known_nanos[step] += nanos;
      from = step_end;
    }
  }
  for (size_t i = 0; i < grid.count; ++i) {
    if (known_nanos[i] > 0)
      (*cells)[i].AddValue(added[i] * kNanosPerSecond / known_nanos[i]);
  }
}

// One value for all points of a step. Between two points that are at most `hold_nanos` apart, steps
// without a point repeat the earlier value.
class StepValues {
 public:
  StepValues(const StepGrid& grid, uint64_t hold_nanos, std::vector<StepCell>* cells)
      : grid_(grid), hold_nanos_(hold_nanos), cells_(*cells) {}

  template <typename Add>
  void Each(std::span<const model::NumberPoint> points, Add add) {
    size_t next_step = 0;
    size_t i = 0;
    while (i < points.size()) {
      const auto step = grid_.Find(points[i].time_unix_nano);
      size_t end = i + 1;
      while (end < points.size() && grid_.Find(points[end].time_unix_nano) == step)
        ++end;
      if (step.has_value()) {
        const bool holds =
            i > 0 && points[i].time_unix_nano - points[i - 1].time_unix_nano <= hold_nanos_;
        for (; holds && next_step < *step; ++next_step)
          add(points.subspan(i - 1, 1), &cells_[next_step]);
        add(points.subspan(i, end - i), &cells_[*step]);
        next_step = *step + 1;
      }
      i = end;
    }
  }

 private:
  const StepGrid& grid_;
  const uint64_t hold_nanos_;
  std::vector<StepCell>& cells_;
};

// All values of a gauge count, and a sum over series adds the mean of each.
void AddGauge(std::span<const model::NumberPoint> points, StepCell* cell) {
  StepCell mine;
  for (const model::NumberPoint& point : points) {
    const double value = ToDouble(point.value);
    if (HasValue(point) && std::isfinite(value))
      mine.AddValue(value);
  }
  if (mine.value_count == 0)
    return;
  mine.sum = mine.value_sum / mine.value_count;
  cell->Add(mine);
}

void AddCounter(std::span<const model::NumberPoint> points, bool is_delta, StepCell* cell) {
  std::optional<double> total;
  for (const model::NumberPoint& point : points) {
    const double value = ToDouble(point.value);
    if (HasValue(point) && std::isfinite(value))
      total = is_delta ? total.value_or(0) + value : value;
  }
  if (total.has_value())
    cell->AddValue(*total);
}

void AddNumbers(const model::MetricBatch& batch, const model::Metric& metric,
                const StepOptions& options, std::vector<StepCell>* cells) {
  const auto points = model::In(batch.number_points, metric.points);
  if (options.is_rate) {
    const auto rises = FindRises(points, metric, options.grid.begin, NumberReader());
    AddRates(
        rises, options.grid, [](const NumberReader::State& state) { return state.count; }, cells);
    return;
  }
  const bool is_delta = metric.temporality == model::Temporality::kDelta;
  const bool is_counter = metric.kind == MetricKind::kSum && (metric.is_monotonic || is_delta);
  // A delta counts once; a level persists into the next step.
  const uint64_t hold_nanos = is_delta ? 0 : kIntervalsJoined * SeriesInterval(batch, metric);
  StepValues(options.grid, hold_nanos, cells)
      .Each(points, [&](std::span<const model::NumberPoint> of_step, StepCell* cell) {
        if (is_counter)
          AddCounter(of_step, is_delta, cell);
        else
          AddGauge(of_step, cell);
      });
}

void AddDistributions(const std::vector<Rise<Histogram>>& rises, const StepOptions& options,
                      std::vector<StepCell>* cells) {
  if (options.is_rate) {
    const bool is_count = options.aggregate.kind == Kind::kCount;
    AddRates(
        rises, options.grid,
        [&](const Histogram& histogram) { return is_count ? histogram.count : histogram.sum; },
        cells);
    return;
  }
  for (const Rise<Histogram>& rise : rises) {
    if (const auto step = options.grid.Find(rise.to))
      (*cells)[*step].histogram.Add(rise.amount);
  }
}

}  // namespace

void StepCell::AddValue(double value) {
  if (!std::isfinite(value))
    return;
  sum += value;
  value_sum += value;
  value_count += 1;
  min = std::min(min, value);
  max = std::max(max, value);
}

void StepCell::Add(const StepCell& other) {
  sum += other.sum;
  value_sum += other.value_sum;
  value_count += other.value_count;
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  if (other.histogram.count > 0)
    histogram.Add(other.histogram);
}

double StepCell::Value(const Aggregate& aggregate) const {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  const bool is_distribution = histogram.count > 0;
  if (!is_distribution && value_count == 0)
    return kNothing;
  switch (aggregate.kind) {
    case Kind::kSum:
      return is_distribution ? histogram.sum : sum;
    case Kind::kAvg:
      return is_distribution ? histogram.sum / histogram.count : value_sum / value_count;
    case Kind::kMin:
      return is_distribution ? histogram.Quantile(0).value_or(kNothing) : min;
    case Kind::kMax:
      return is_distribution ? histogram.Quantile(1).value_or(kNothing) : max;
    case Kind::kCount:
      return is_distribution ? histogram.count : sum;  // not a distribution: a rate of counts
    case Kind::kQuantile:
      return histogram.Quantile(aggregate.share).value_or(kNothing);
  }
  return kNothing;
}

void AddToSteps(const model::MetricBatch& batch, const model::Metric& metric,
                const StepOptions& options, std::vector<StepCell>* cells) {
  const auto add = [&](const auto& points, const auto& reader) {
    AddDistributions(FindRises(points, metric, options.grid.begin, reader), options, cells);
  };
  switch (metric.kind) {
    case MetricKind::kNone:
      return;
    case MetricKind::kGauge:
    case MetricKind::kSum:
      AddNumbers(batch, metric, options, cells);
      return;
    case MetricKind::kHistogram:
      add(model::In(batch.histogram_points, metric.points), HistogramReader{batch});
      return;
    case MetricKind::kExponentialHistogram:
      add(model::In(batch.exponential_histogram_points, metric.points), ExponentialReader{batch});
      return;
    case MetricKind::kSummary:
      add(model::In(batch.summary_points, metric.points), SummaryReader());
      return;
  }
}

absl::Status CheckAggregate(const model::Metric& metric, const StepOptions& options) {
  const Kind kind = options.aggregate.kind;
  const bool is_number = metric.kind == MetricKind::kGauge || metric.kind == MetricKind::kSum;
  if (is_number && (kind == Kind::kQuantile || kind == Kind::kCount)) {
    return absl::InvalidArgumentError(base::StrCat(
        "\"", metric.name, "\" has single values: `agg` must be sum, avg, min or max"));
  }
  if (metric.kind == MetricKind::kSummary && kind != Kind::kSum && kind != Kind::kAvg &&
      kind != Kind::kCount) {
    return absl::InvalidArgumentError(base::StrCat(
        "\"", metric.name,
        "\" is a summary, whose quantiles cannot be merged: `agg` must be sum, avg or count"));
  }
  if (options.is_rate && is_number && !metric.is_monotonic) {
    return absl::InvalidArgumentError(
        base::StrCat("\"", metric.name, "\" is not monotonic: `rate` needs a monotonic sum"));
  }
  if (options.is_rate && !is_number && kind != Kind::kSum && kind != Kind::kCount) {
    return absl::InvalidArgumentError(base::StrCat(
        "\"", metric.name, "\" is a distribution: with `rate`, `agg` must be sum or count"));
  }
  return absl::OkStatus();
}

}  // namespace flarestack::query
