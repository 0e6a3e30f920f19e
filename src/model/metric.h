// SPDX-License-Identifier: Apache-2.0
//
// One OTLP metrics message in memory; see model/signal_batch.h for the tree around the metrics.
//
// A metric has data points of one kind. Each kind has a separate pool, and Metric::points is a
// slice of the pool that Metric::kind selects:
//
//   kGauge, kSum            number_points
//   kHistogram              histogram_points
//   kExponentialHistogram   exponential_histogram_points
//   kSummary                summary_points
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/signal_batch.h"

namespace flarestack::model {

enum class MetricKind : uint8_t {
  kNone,  // the message has no kind; the metric has no data points
  kGauge,
  kSum,
  kHistogram,
  kExponentialHistogram,
  kSummary,
};

// Open, as in proto3: unknown numbers are kept.
enum class Temporality : int32_t { kUnspecified = 0, kDelta = 1, kCumulative = 2 };

// Flag of a data point: the series ended here and there is no value.
inline constexpr uint32_t kNoRecordedValue = 1;

// The oneof of as_int and as_double; it may also be unset.
struct NumberValue {
  enum class Kind : uint8_t { kNone, kInt, kDouble };
  Kind kind = Kind::kNone;
  int64_t as_int = 0;
  double as_double = 0;

  static NumberValue Int(int64_t number) { return {.kind = Kind::kInt, .as_int = number}; }
  static NumberValue Double(double number) { return {.kind = Kind::kDouble, .as_double = number}; }
};

struct Exemplar {
  uint64_t time_unix_nano = 0;
  NumberValue value;
  std::string_view span_id;
  std::string_view trace_id;
  Slice filtered_attributes;  // in nodes
};

// The fields that all kinds of data points share.
struct Point {
  Slice attributes;  // in nodes
  uint64_t start_time_unix_nano = 0;
  uint64_t time_unix_nano = 0;
  uint32_t flags = 0;
};

struct NumberPoint : Point {
  NumberValue value;
  Slice exemplars;
};

struct HistogramPoint : Point {
  uint64_t count = 0;
  std::optional<double> sum;
  std::optional<double> min;
  std::optional<double> max;
  Slice bucket_counts;    // one more than the bounds, or both are empty
  Slice explicit_bounds;  // in bounds
  Slice exemplars;
};

struct ExponentialHistogramPoint : Point {
  struct Buckets {
    int32_t offset = 0;
    Slice bucket_counts;
  };
  uint64_t count = 0;
  std::optional<double> sum;
  std::optional<double> min;
  std::optional<double> max;
  int32_t scale = 0;
  uint64_t zero_count = 0;
  double zero_threshold = 0;
  Buckets positive;
  Buckets negative;
  Slice exemplars;
};

struct ValueAtQuantile {
  double quantile = 0;
  double value = 0;
};

struct SummaryPoint : Point {
  uint64_t count = 0;
  double sum = 0;
  Slice quantile_values;
};

struct Metric {
  std::string_view name;
  std::string_view description;
  std::string_view unit;
  MetricKind kind = MetricKind::kNone;
  bool is_monotonic = false;                            // for a sum
  Temporality temporality = Temporality::kUnspecified;  // for a sum or either kind of histogram
  Slice points;
  Slice metadata;  // in nodes
};

struct MetricBatch : SignalBatch {
  std::vector<Metric> metrics;
  std::vector<NumberPoint> number_points;
  std::vector<HistogramPoint> histogram_points;
  std::vector<ExponentialHistogramPoint> exponential_histogram_points;
  std::vector<SummaryPoint> summary_points;

  std::vector<Exemplar> exemplars;
  std::vector<uint64_t> bucket_counts;  // for either kind of histogram
  std::vector<double> bounds;
  std::vector<ValueAtQuantile> quantile_values;

  // Empties every table but keeps the memory for the next message. Does not touch the arena.
  void Clear();
};

// The number of data points of all metrics in the tree, which OTLP counts in a partial rejection.
uint64_t CountPoints(const MetricBatch& batch);

}  // namespace flarestack::model
