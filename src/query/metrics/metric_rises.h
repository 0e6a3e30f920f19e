// SPDX-License-Identifier: Apache-2.0
//
// What a counter or a histogram grew by between its points, whichever way its sender counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "model/metric.h"
#include "query/metrics/histogram.h"

namespace flarestack::query {

inline bool HasValue(const model::Point& point) {
  return (point.flags & model::kNoRecordedValue) == 0;
}

// NaN where there is neither kind of number.
inline double ToDouble(const model::NumberValue& value) {
  switch (value.kind) {
    case model::NumberValue::Kind::kInt:
      return static_cast<double>(value.as_int);
    case model::NumberValue::Kind::kDouble:
      return value.as_double;
    case model::NumberValue::Kind::kNone:
      break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

template <typename T>
struct Rise {
  uint64_t from = 0;  // ns since the epoch; as `to` where it is not known
  uint64_t to = 0;
  T amount;
};

// How the points of each kind are read. `count` tells whether a counter went back.
struct NumberReader {
  using Point = model::NumberPoint;
  struct State {
    double count = 0;
  };
  State Read(const Point& at) const { return {ToDouble(at.value)}; }
  State Since(const Point& now, const Point& before) const {
    return {ToDouble(now.value) - ToDouble(before.value)};
  }
};

struct HistogramReader {
  using Point = model::HistogramPoint;
  const model::MetricBatch& batch;
  Histogram Read(const Point& at) const { return ToHistogram(batch, at); }
  Histogram Since(const Point& now, const Point& before) const {
    return Read(now).Since(Read(before));
  }
};

struct ExponentialReader {
  using Point = model::ExponentialHistogramPoint;
  const model::MetricBatch& batch;
  Histogram Read(const Point& at) const { return ToHistogram(batch, at, at.scale); }
  // Only at the coarser of their scales can two be compared.
  Histogram Since(const Point& now, const Point& before) const {
    const int32_t scale = std::min(now.scale, before.scale);
    return ToHistogram(batch, now, scale).Since(ToHistogram(batch, before, scale));
  }
};

struct SummaryReader {
  using Point = model::SummaryPoint;
  Histogram Read(const Point& at) const { return ToHistogram(at); }
  Histogram Since(const Point& now, const Point& before) const {
    return Read(now).Since(Read(before));
  }
};

// Of points that go up in time. A cumulative series that began before `oldest` had a value before
// its first point which nobody knows, so that point is no rise.
template <typename Reader>
auto FindRises(std::span<const typename Reader::Point> points, const model::Metric& metric,
               uint64_t oldest, const Reader& reader) {
  using Point = typename Reader::Point;
  std::vector<Rise<decltype(reader.Read(points[0]))>> rises;
  const Point* last = nullptr;
  for (const Point& point : points) {
    if (!HasValue(point)) {
      last = nullptr;  // the series ended there
      continue;
    }
    const uint64_t to = point.time_unix_nano;
    const uint64_t start = std::min(point.start_time_unix_nano, to);
    const uint64_t last_time = last == nullptr ? to : last->time_unix_nano;
    const bool goes_on = last != nullptr &&
                         point.start_time_unix_nano == last->start_time_unix_nano &&
                         reader.Read(point).count >= reader.Read(*last).count;
    if (metric.temporality == model::Temporality::kDelta)
      rises.push_back({start != 0 ? start : last_time, to, reader.Read(point)});
    else if (goes_on)
      rises.push_back({last_time, to, reader.Since(point, *last)});
    else if (last != nullptr)
      rises.push_back({std::max(start, last_time), to, reader.Read(point)});
    else if (start != 0 && start >= oldest)
      rises.push_back({start, to, reader.Read(point)});
    last = &point;
  }
  return rises;
}

}  // namespace flarestack::query
