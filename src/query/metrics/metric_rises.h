// SPDX-License-Identifier: Apache-2.0
//
// The increase of a counter or histogram between its points, for both temporalities.
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

// NaN if it has neither kind of number.
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
  uint64_t from = 0;  // ns since the epoch; equal to `to` if unknown
  uint64_t to = 0;
  T amount;
};

// How to read the points of each kind. `count` shows whether a counter was reset.
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
  // Two points can only be compared at the coarser of their scales.
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

// Expects points in ascending time order. A cumulative series that started before `oldest` has an
// unknown value before its first point, so that point gives no rise.
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
