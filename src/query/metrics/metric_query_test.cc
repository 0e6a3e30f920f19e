// SPDX-License-Identifier: Apache-2.0
#include "query/metrics/metric_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "absl/strings/str_join.h"
#include "base/text/text.h"
#include "query/metrics/metric_interval.h"

namespace flarestack::query {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

struct TestPoint {
  uint64_t time = 0;  // in seconds, like the start
  double value = 0;
  uint64_t start = 0;
};

// Each call adds one series of the metric, with a separate resource.
class Points {
 public:
  explicit Points(model::Metric metric) : metric_(metric) { metric_.name = "m"; }

  void Add(const std::string& service, const std::vector<TestPoint>& points) {
    metric_.points = {.begin = Count(batch_.number_points), .count = Count(points)};
    for (const TestPoint& from : points) {
      model::NumberPoint point;
      point.time_unix_nano = from.time * kSecond;
      point.start_time_unix_nano = from.start * kSecond;
      point.value = model::NumberValue::Double(from.value);
      batch_.number_points.push_back(point);
    }
    AddMetric(service);
  }
  void AddHistograms(const std::string& service, const std::vector<std::vector<uint64_t>>& counts) {
    metric_.points = {.begin = Count(batch_.histogram_points), .count = Count(counts)};
    batch_.bounds = {10, 20};
    uint64_t time = 0;
    for (const std::vector<uint64_t>& of_point : counts) {
      model::HistogramPoint point;
      point.time_unix_nano = (time += 10) * kSecond;
      point.explicit_bounds = {.begin = 0, .count = 2};
      point.bucket_counts = {.begin = Count(batch_.bucket_counts), .count = Count(of_point)};
      for (const uint64_t count : of_point)
        point.count += count;
      batch_.bucket_counts.insert(batch_.bucket_counts.end(), of_point.begin(), of_point.end());
      batch_.histogram_points.push_back(point);
    }
    AddMetric(service);
  }
  // One point of this scale every ten seconds, with bucket counts that start at value 1 (scale 0: 1
  // to 2, 2 to 4, ...).
  struct Exponential {
    int32_t scale = 0;
    std::vector<uint64_t> counts;
  };
  void AddExponential(const std::string& service, const std::vector<Exponential>& points) {
    metric_.points = {.begin = Count(batch_.exponential_histogram_points), .count = Count(points)};
    uint64_t time = 0;
    for (const Exponential& from : points) {
      model::ExponentialHistogramPoint point;
      point.time_unix_nano = (time += 10) * kSecond;
      point.scale = from.scale;
      point.positive.bucket_counts = {.begin = Count(batch_.bucket_counts),
                                      .count = Count(from.counts)};
      for (const uint64_t count : from.counts)
        point.count += count;
      batch_.bucket_counts.insert(batch_.bucket_counts.end(), from.counts.begin(),
                                  from.counts.end());
      batch_.exponential_histogram_points.push_back(point);
    }
    AddMetric(service);
  }
  void AddExemplar(uint64_t time, double value) {
    batch_.number_points.back().exemplars = {.begin = Count(batch_.exemplars), .count = 1};
    batch_.exemplars.push_back({.time_unix_nano = time * kSecond,
                                .value = model::NumberValue::Double(value),
                                .span_id = "span",
                                .trace_id = "trace",
                                .filtered_attributes = {}});
  }

  // Marks a point, counted from 0 over all added points, as having no recorded value.
  void MarkAsMissing(size_t point) { batch_.number_points[point].flags = model::kNoRecordedValue; }

  uint64_t Typical() const { return TypicalInterval(batch_); }
  std::string Intervals(MetricOptions options) const {
    options.grid = {.begin = 0, .step = 10 * kSecond, .count = 5};
    std::vector<std::string> texts;
    const auto response = QueryMetric(batch_, options);
    for (const MetricLine& line : response->lines)
      texts.push_back(base::StrCat(line.key[0], " ", line.interval_nanos / kSecond));
    return absl::StrJoin(texts, ", ");
  }

  // One text line per chart line: key, then a value for each step of ten seconds from 0 to 50.
  std::string Fetch(MetricOptions options) const {
    options.grid = {.begin = 0, .step = 10 * kSecond, .count = 5};
    const auto response = QueryMetric(batch_, options);
    if (!response.ok())
      return std::string(response.status().message());
    std::string text;
    for (const MetricLine& line : response->lines) {
      for (const std::string& key : line.key)
        base::StrAppend(&text, key, " ");
      if (line.is_rest)
        base::StrAppend(&text, "rest of ", line.group_count, " ");
      for (const double value : line.values)
        base::StrAppend(&text, std::isnan(value) ? "-" : base::StrCat(value), " ");
      for (const MetricExemplar& exemplar : line.exemplars)
        base::StrAppend(&text, exemplar.value, "@", exemplar.time / kSecond, exemplar.trace_id,
                        " ");
      text.back() = '\n';
    }
    return text;
  }

 private:
  template <typename Pool>
  static uint32_t Count(const Pool& pool) {
    return static_cast<uint32_t>(pool.size());
  }
  void AddMetric(const std::string& service) {
    model::Resource resource;
    resource.attributes = {.begin = Count(batch_.nodes), .count = 1};
    resource.scopes = {.begin = Count(batch_.scopes), .count = 1};
    batch_.nodes.push_back({.key = "service.name",
                            .key_index = {},
                            .value = model::AnyValue::String(batch_.arena.Copy(service))});
    model::ItemScope scope;
    scope.items = {.begin = Count(batch_.metrics), .count = 1};
    batch_.scopes.push_back(scope);
    batch_.resources.push_back(resource);
    batch_.metrics.push_back(metric_);
  }

  model::Metric metric_;
  model::MetricBatch batch_;
};

model::Metric Gauge() {
  model::Metric metric;
  metric.kind = model::MetricKind::kGauge;
  return metric;
}
model::Metric Counter(model::Temporality temporality) {
  model::Metric metric;
  metric.kind = model::MetricKind::kSum;
  metric.is_monotonic = true;
  metric.temporality = temporality;
  return metric;
}
model::Metric HistogramOf(model::Temporality temporality) {
  model::Metric metric;
  metric.kind = model::MetricKind::kHistogram;
  metric.temporality = temporality;
  return metric;
}
MetricOptions With(std::string_view aggregate) {
  MetricOptions options;
  options.aggregate = *ParseAggregate(aggregate);
  return options;
}
MetricOptions Rate() {
  MetricOptions options;
  options.is_rate = true;
  return options;
}

using model::Temporality;

TEST(MetricQueryTest, JoinsTheSeriesOfAGauge) {
  Points points(Gauge());
  points.Add("a", {{1, 4}, {2, 8}, {11, 5}});
  points.Add("b", {{3, 3}, {31, 7}});
  EXPECT_EQ(points.Fetch({}), "5 5 - 7 -\n");  // all values have equal weight
  EXPECT_EQ(points.Fetch(With("sum")), "9 5 - 7 -\n");
  EXPECT_EQ(points.Fetch(With("min")), "3 5 - 7 -\n");
  EXPECT_EQ(points.Fetch(With("max")), "8 5 - 7 -\n");
}

TEST(MetricQueryTest, GroupsAndMergesTheSmallest) {
  Points points(Gauge());
  points.Add("a", {{1, 1}});
  points.Add("b", {{1, 5}});
  points.Add("c", {{1, 2}, {11, 1}});
  points.Add("b", {{11, 5}});
  MetricOptions options = With("sum");
  options.by = {"service_name"};
  EXPECT_EQ(points.Fetch(options), "b 5 5 - - -\nc 2 1 - - -\na 1 - - - -\n");
  options.top = 1;
  EXPECT_EQ(points.Fetch(options), "b 5 5 - - -\nrest of 2 3 1 - - -\n");
  options.cells_max = 10;
  EXPECT_THAT(points.Fetch(options), ::testing::HasSubstr("more than 2 groups"));
}

TEST(MetricQueryTest, ComputesTheRateOfACumulativeCounter) {
  Points points(Counter(Temporality::kCumulative));
  points.Add("a", {{5, 100}, {15, 200}, {25, 250}, {45, 250}});
  // The increase before the first point is unknown. From there on it is known, up to the last
  // point.
  EXPECT_EQ(points.Fetch(Rate()), "10 7.5 2.5 0 0\n");
  EXPECT_EQ(points.Fetch({}), "100 200 250 250 250\n");
}

TEST(MetricQueryTest, CarriesGaugesAcrossShortGaps) {
  Points points(Gauge());
  // Every 3 s, then gaps of 11 s or more.
  points.Add("a", {{1, 4}, {4, 4}, {7, 4}, {18, 5}, {32, 6}});
  EXPECT_EQ(points.Fetch({}), "4 5 - 6 -\n");
  Points slow(Gauge());
  slow.Add("a", {{1, 4}, {21, 6}, {41, 8}});
  EXPECT_EQ(slow.Fetch({}), "4 4 6 6 8\n");
  // The points of the other sender are in other steps: the sum includes both in each step.
  slow.Add("b", {{11, 1}, {31, 1}, {49, 1}});
  EXPECT_EQ(slow.Fetch(With("sum")), "4 5 7 7 9\n");
  Points added(Counter(Temporality::kDelta));
  added.Add("a", {{1, 4}, {21, 6}, {41, 8}});
  EXPECT_EQ(added.Fetch({}), "4 - 6 - 8\n");
}

TEST(MetricQueryTest, GaugeEndsAtAMissingMark) {
  Points points(Gauge());
  points.Add("a", {{1, 4}, {11, 6}, {21, 7}});
  points.MarkAsMissing(1);
  EXPECT_EQ(points.Fetch({}), "4 - 7 - -\n");
}

TEST(MetricQueryTest, ReportsTheIntervalOfEachLine) {
  Points points(Gauge());
  points.Add("a", {{1, 1}, {61, 1}, {122, 1}, {182, 1}});
  points.Add("a", {{1, 1}, {16, 1}, {31, 1}, {31, 1}});
  points.Add("b", {{1, 1}, {2, 1}});
  points.Add("c", {{1, 1}, {61, 1}, {121, 1}});
  MetricOptions options;
  options.by = {"service.name"};
  EXPECT_EQ(points.Intervals(options), "a 15, b 0, c 60");
  EXPECT_EQ(points.Typical(), 60 * kSecond);
}

TEST(MetricQueryTest, DetectsACounterReset) {
  Points by_value(Counter(Temporality::kCumulative));
  by_value.Add("a", {{10, 500}, {20, 600}, {30, 50}});
  EXPECT_EQ(by_value.Fetch(Rate()), "- 10 5 - -\n");
  Points by_start(Counter(Temporality::kCumulative));
  by_start.Add("a", {{10, 10, 5}, {20, 20, 5}, {30, 100, 20}});
  EXPECT_EQ(by_start.Fetch(Rate()), "2 1 10 - -\n");
}

TEST(MetricQueryTest, ComputesTheRateOfADeltaCounter) {
  Points points(Counter(Temporality::kDelta));
  points.Add("a", {{20, 100, 10}, {30, 40, 20}});
  points.Add("b", {{20, 10, 10}});
  EXPECT_EQ(points.Fetch(Rate()), "- 11 4 - -\n");
  EXPECT_EQ(points.Fetch({}), "- - 110 40 -\n");
}

TEST(MetricQueryTest, RejectsARateOfAGauge) {
  Points points(Gauge());
  points.Add("a", {{1, 1}});
  EXPECT_THAT(points.Fetch(Rate()), ::testing::HasSubstr("`rate` needs a monotonic sum"));
  EXPECT_THAT(points.Fetch(With("p95")), ::testing::HasSubstr("must be sum, avg, min or max"));
}

TEST(MetricQueryTest, ComputesPercentilesOfAddedValues) {
  Points deltas(HistogramOf(Temporality::kDelta));
  deltas.AddHistograms("a", {{4, 0, 0}, {0, 4, 0}});
  deltas.AddHistograms("b", {{0, 4, 0}, {0, 0, 0}});
  EXPECT_EQ(deltas.Fetch(With("p50")), "- 10 15 - -\n");
  EXPECT_EQ(deltas.Fetch(With("count")), "- 8 4 - -\n");
  Points sums(HistogramOf(Temporality::kCumulative));
  sums.AddHistograms("a", {{4, 0, 0}, {4, 4, 0}, {8, 4, 0}, {1, 0, 0}});
  EXPECT_EQ(sums.Fetch(With("p50")), "- - 15 5 5\n");
  MetricOptions options = With("count");
  options.is_rate = true;
  EXPECT_EQ(sums.Fetch(options), "- 0.4 0.4 0.1 -\n");
}

TEST(MetricQueryTest, ComputesPercentilesOfExponentialHistogramsWithAFallingScale) {
  model::Metric metric = HistogramOf(Temporality::kCumulative);
  metric.kind = model::MetricKind::kExponentialHistogram;
  Points points(metric);
  points.AddExponential("a", {{1, {2, 2}}, {0, {4, 4}}, {0, {4, 4, 6}}});
  // Four values of 1 to 2 existed before; added are four of 2 to 4, then six of 4 to 8.
  EXPECT_EQ(points.Fetch(With("p50")), "- - 3 6 -\n");
}

TEST(MetricQueryTest, KeepsTheLargestExemplars) {
  Points points(Gauge());
  points.Add("a", {{1, 1}});
  points.AddExemplar(4, 9);
  points.Add("b", {{1, 1}});
  points.AddExemplar(3, 8);
  points.Add("c", {{1, 1}});
  points.AddExemplar(2, 7);
  MetricOptions options;
  options.exemplars_max = 2;
  EXPECT_EQ(points.Fetch(options), "1 - - - - 8@3trace 9@4trace\n");
}

TEST(MetricQueryTest, ReadsAggregates) {
  for (const char* text :
       {"sum", "avg", "min", "max", "count", "p50", "p95", "p99.9", "p0", "p100"})
    EXPECT_EQ(AggregateText(*ParseAggregate(text)), text);
  for (const char* text : {"", "p", "p101", "p-1", "p95x", "median", "pinf", "p050"})
    EXPECT_FALSE(ParseAggregate(text).ok()) << text;
}

TEST(MetricQueryTest, AlignsStepsToTheirMultiples) {
  const auto grid = MakeGrid({.from = 25 * kSecond, .to = 61 * kSecond}, 10 * kSecond);
  ASSERT_TRUE(grid.ok());
  EXPECT_EQ(grid->begin, 20 * kSecond);
  EXPECT_EQ(grid->count, 5u);
  EXPECT_EQ(MakeGrid({.from = 0, .to = 3600 * kSecond}, std::nullopt)->step, 15 * kSecond);
  EXPECT_LE(MakeGrid({.from = 0, .to = UINT64_MAX}, std::nullopt)->count, 301u);
  EXPECT_TRUE(MakeGrid({.from = 0, .to = kStepsMax}, 1).ok());
  EXPECT_FALSE(MakeGrid({.from = 0, .to = kStepsMax + 1}, 1).ok());
  EXPECT_FALSE(MakeGrid({.from = 0, .to = 1}, 0).ok());
}

TEST(MetricQueryTest, MakesNoStepShorterThanTheInterval) {
  const auto step = [](uint64_t range_seconds, uint64_t interval_millis) {
    const auto grid = MakeGrid({.from = 0, .to = range_seconds * kSecond}, std::nullopt,
                               interval_millis * 1'000'000);
    return grid->step / kSecond;
  };
  EXPECT_EQ(step(3600, 60'000), 60u);
  EXPECT_EQ(step(3600, 60'300), 60u);  // a drifting timer
  EXPECT_EQ(step(900, 15'000), 15u);
  EXPECT_EQ(step(900, 20'000), 30u);
  EXPECT_EQ(step(7 * 86'400, 60'000), 3600u);
  EXPECT_EQ(step(60, 3 * 86'400'000), 3 * 86'400u);
  const auto requested = MakeGrid({.from = 0, .to = 3600 * kSecond}, 10 * kSecond, 60 * kSecond);
  EXPECT_EQ(requested->step, 10 * kSecond);
}

}  // namespace
}  // namespace flarestack::query
