// SPDX-License-Identifier: Apache-2.0
#include "query/metrics/histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace flarestack::query {
namespace {

Histogram Explicit(std::vector<double> bounds, std::vector<uint64_t> counts) {
  model::MetricBatch batch;
  model::HistogramPoint point;
  for (const uint64_t count : counts)
    point.count += count;
  batch.bounds = std::move(bounds);
  batch.bucket_counts = std::move(counts);
  point.explicit_bounds = {.begin = 0, .count = static_cast<uint32_t>(batch.bounds.size())};
  point.bucket_counts = {.begin = 0, .count = static_cast<uint32_t>(batch.bucket_counts.size())};
  return ToHistogram(batch, point);
}

struct Exponential {
  int32_t scale = 0;
  int32_t offset = 0;
  std::vector<uint64_t> counts;
  uint64_t zeros = 0;
};
Histogram At(const Exponential& from, int32_t scale) {
  model::MetricBatch batch;
  model::ExponentialHistogramPoint point;
  point.scale = from.scale;
  point.zero_count = from.zeros;
  point.positive.offset = from.offset;
  point.positive.bucket_counts = {.begin = 0, .count = static_cast<uint32_t>(from.counts.size())};
  batch.bucket_counts = from.counts;
  point.count = from.zeros;
  for (const uint64_t count : from.counts)
    point.count += count;
  return ToHistogram(batch, point, scale);
}

TEST(HistogramTest, SpreadsValuesEvenlyWithinTheirBucket) {
  const Histogram histogram = Explicit({10, 20, 40}, {0, 10, 10, 0});
  EXPECT_DOUBLE_EQ(*histogram.Quantile(0.25), 15);
  EXPECT_DOUBLE_EQ(*histogram.Quantile(0.5), 20);
  EXPECT_DOUBLE_EQ(*histogram.Quantile(0.95), 38);
  EXPECT_DOUBLE_EQ(*histogram.Quantile(0), 10);
  EXPECT_DOUBLE_EQ(*histogram.Quantile(1), 40);
}

TEST(HistogramTest, RespectsMinimumAndMaximum) {
  Histogram histogram = Explicit({10, 20}, {4, 0, 4});
  EXPECT_DOUBLE_EQ(*histogram.Quantile(0.25), 5);  // from zero on
  EXPECT_DOUBLE_EQ(*histogram.Quantile(0.99), 20);
  histogram.min = 8;
  histogram.max = 60;
  EXPECT_DOUBLE_EQ(*histogram.Quantile(0.25), 9);
  EXPECT_DOUBLE_EQ(*histogram.Quantile(0.75), 40);
}

TEST(HistogramTest, AddsHistogramsWithOtherBounds) {
  Histogram histogram = Explicit({0, 100}, {0, 10, 0});
  histogram.Add(Explicit({0, 50, 100}, {0, 10, 0, 0}));
  EXPECT_DOUBLE_EQ(histogram.count, 20);
  EXPECT_DOUBLE_EQ(*histogram.Quantile(0.75), 50);
  EXPECT_DOUBLE_EQ(*histogram.Quantile(0.875), 75);
}

TEST(HistogramTest, ReadsExponentialBuckets) {
  const Histogram histogram = At({.scale = 0, .offset = 1, .counts = {4, 4}}, 0);  // 2, 4, 8
  EXPECT_DOUBLE_EQ(*histogram.Quantile(0.5), 4);
  EXPECT_DOUBLE_EQ(*histogram.Quantile(0.75), 6);
  EXPECT_DOUBLE_EQ(*At({.scale = 0, .offset = 0, .counts = {1}, .zeros = 3}, 0).Quantile(0.5), 0);
  // Base sqrt(2): 2, 2.83, 4, and at the coarser scale 2, 4.
  EXPECT_DOUBLE_EQ(*At({.scale = 1, .offset = 2, .counts = {1, 1}}, 0).Quantile(0.5), 3);
}

TEST(HistogramTest, SubtractsAnEarlierHistogram) {
  const Histogram now = At({.scale = 1, .offset = 2, .counts = {5, 3, 1}}, 0);
  const Histogram before = At({.scale = 2, .offset = 4, .counts = {1, 1, 1, 1}}, 0);
  const Histogram since = now.Since(before);
  EXPECT_DOUBLE_EQ(since.count, 5);
  ASSERT_EQ(since.buckets.size(), 2u);
  EXPECT_DOUBLE_EQ(since.buckets[0].count, 4);
  EXPECT_DOUBLE_EQ(since.buckets[1].upper, 8);
}

TEST(HistogramTest, SurvivesAnyNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(Explicit({}, {}).Quantile(0.5).has_value());
  EXPECT_TRUE(Explicit({}, {7}).Quantile(0.5).has_value());
  EXPECT_TRUE(
      std::isfinite(*Explicit({nan, 3, nan, -1, infinity}, {1, 1, 1, 1, 1, 1}).Quantile(0)));
  for (const int32_t scale : {INT32_MIN, -11, 0, 20, INT32_MAX}) {
    for (const int32_t offset : {INT32_MIN, 0, INT32_MAX})
      At({.scale = scale, .offset = offset, .counts = {1, 2}}, 0).Quantile(0.99);
  }
}

}  // namespace
}  // namespace flarestack::query
