// SPDX-License-Identifier: Apache-2.0
#include "query/metrics/metric_interval.h"

#include <algorithm>
#include <span>
#include <vector>

namespace flarestack::query {
namespace {

constexpr size_t kDistancesMin = 2;
constexpr size_t kDistancesMax = 1000;  // enough for a median of a series of any length

uint64_t Median(std::vector<uint64_t>* values) {
  const auto middle = values->begin() + static_cast<ptrdiff_t>((values->size() - 1) / 2);
  std::nth_element(values->begin(), middle, values->end());
  return *middle;
}

template <typename Point>
uint64_t IntervalOf(std::span<const Point> points) {
  std::vector<uint64_t> distances;
  for (size_t i = 1; i < points.size() && distances.size() < kDistancesMax; ++i) {
    const uint64_t before = points[i - 1].time_unix_nano;
    if (points[i].time_unix_nano > before)
      distances.push_back(points[i].time_unix_nano - before);
  }
  return distances.size() < kDistancesMin ? 0 : Median(&distances);
}

}  // namespace

uint64_t SeriesInterval(const model::MetricBatch& batch, const model::Metric& metric) {
  switch (metric.kind) {
    case model::MetricKind::kNone:
      return 0;
    case model::MetricKind::kGauge:
    case model::MetricKind::kSum:
      return IntervalOf(model::In(batch.number_points, metric.points));
    case model::MetricKind::kHistogram:
      return IntervalOf(model::In(batch.histogram_points, metric.points));
    case model::MetricKind::kExponentialHistogram:
      return IntervalOf(model::In(batch.exponential_histogram_points, metric.points));
    case model::MetricKind::kSummary:
      return IntervalOf(model::In(batch.summary_points, metric.points));
  }
  return 0;
}

uint64_t TypicalInterval(const model::MetricBatch& batch) {
  std::vector<uint64_t> intervals;
  for (const model::Metric& metric : batch.metrics) {
    if (const uint64_t interval = SeriesInterval(batch, metric); interval > 0)
      intervals.push_back(interval);
  }
  return intervals.empty() ? 0 : Median(&intervals);
}

}  // namespace flarestack::query
