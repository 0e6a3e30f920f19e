// SPDX-License-Identifier: Apache-2.0
#include "model/validation/item_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/text/text.h"

namespace flarestack::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kTraceId = "0123456789abcdef";
constexpr std::string_view kSpanId = "01234567";

template <typename Batch>
void Enclose(uint32_t item_count, Batch* batch) {
  batch->scopes = {{{}, {.begin = 0, .count = item_count}}};
  batch->resources = {{.scopes = {.begin = 0, .count = 1}}};
}

Span GoodSpan() {
  Span span;
  span.trace_id = kTraceId;
  span.span_id = kSpanId;
  span.start_time_unix_nano = 5;
  span.end_time_unix_nano = 5;
  return span;
}

std::vector<std::string> FaultsOf(const std::vector<RejectedSpan>& rejected) {
  std::vector<std::string> faults;
  for (const RejectedSpan& item : rejected)
    faults.push_back(base::StrCat(item.span, " ", FaultId(item.fault)));
  return faults;
}

TEST(ItemCheckTest, ReportsEachBadSpan) {
  static constexpr std::string_view kZeros("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
  TraceBatch batch;
  batch.spans.assign(7, GoodSpan());
  batch.spans[1].trace_id = kZeros;
  batch.spans[2].trace_id = "short";
  batch.spans[3].span_id = {};
  batch.spans[4].span_id = kZeros.substr(0, 8);
  batch.spans[5].end_time_unix_nano = 4;
  Enclose(7, &batch);
  const auto rejected = FindBadSpans(batch);
  EXPECT_THAT(FaultsOf(rejected),
              ElementsAre("1 invalid_trace_id", "2 invalid_trace_id", "3 invalid_span_id",
                          "4 invalid_span_id", "5 end_before_start"));
  const std::string text = ExplainRejected(rejected, 7);
  EXPECT_THAT(text, HasSubstr("5 of 7 spans rejected: invalid_trace_id (trace_id is not 16 bytes"));
  EXPECT_THAT(text, HasSubstr("end_before_start"));
  EXPECT_EQ(ExplainRejected(std::vector<RejectedSpan>(), 7), "");
}

class PointCheckTest : public ::testing::Test {
 protected:
  // The faults of the data points of one metric, in order; "" for a good one.
  std::string FaultOf(MetricKind kind, Slice points,
                      Temporality temporality = Temporality::kDelta) {
    batch_.metrics.assign(1, {.kind = kind, .temporality = temporality, .points = points});
    Enclose(1, &batch_);
    const auto rejected = FindBadPoints(batch_);
    return rejected.empty() ? "" : std::string(FaultId(rejected[0].fault));
  }
  std::string FaultOf(NumberPoint point, MetricKind kind = MetricKind::kGauge) {
    batch_.number_points = {point};
    return FaultOf(kind, {.begin = 0, .count = 1});
  }
  std::string FaultOfBuckets(std::vector<uint64_t> counts, std::vector<double> bounds) {
    HistogramPoint point;
    point.time_unix_nano = 1;
    point.bucket_counts.count = static_cast<uint32_t>(counts.size());
    point.explicit_bounds.count = static_cast<uint32_t>(bounds.size());
    batch_.bucket_counts = std::move(counts);
    batch_.bounds = std::move(bounds);
    batch_.histogram_points = {point};
    return FaultOf(MetricKind::kHistogram, {.begin = 0, .count = 1});
  }
  static NumberPoint GoodPoint() {
    NumberPoint point;
    point.time_unix_nano = 1;
    point.value = NumberValue::Int(0);
    return point;
  }

  MetricBatch batch_;
};

TEST_F(PointCheckTest, NumberPointNeedsTimeAndValue) {
  EXPECT_EQ(FaultOf(GoodPoint()), "");
  NumberPoint point = GoodPoint();
  point.time_unix_nano = 0;
  EXPECT_EQ(FaultOf(point), "no_time");
  point = GoodPoint();
  point.value = {};
  EXPECT_EQ(FaultOf(point), "no_value");
  point.flags = kNoRecordedValue;
  EXPECT_EQ(FaultOf(point), "");
}

TEST_F(PointCheckTest, BucketsMustFitTheirBounds) {
  EXPECT_EQ(FaultOfBuckets({}, {}), "");
  EXPECT_EQ(FaultOfBuckets({3}, {}), "");
  EXPECT_EQ(FaultOfBuckets({1, 2, 3}, {0.5, 1}), "");
  EXPECT_EQ(FaultOfBuckets({1, 2}, {0.5, 1}), "bucket_count_mismatch");
  EXPECT_EQ(FaultOfBuckets({}, {1}), "bucket_count_mismatch");
  EXPECT_EQ(FaultOfBuckets({1, 2, 3}, {1, 1}), "bounds_not_increasing");
  EXPECT_EQ(FaultOfBuckets({1, 2}, {std::numeric_limits<double>::quiet_NaN()}),
            "bounds_not_increasing");
}

TEST_F(PointCheckTest, SumsAndHistogramsNeedATemporality) {
  batch_.number_points = {GoodPoint()};
  const Slice one = {.begin = 0, .count = 1};
  EXPECT_EQ(FaultOf(MetricKind::kSum, one), "");
  EXPECT_EQ(CountPoints(batch_), 1u);
  EXPECT_EQ(FaultOf(MetricKind::kSum, one, Temporality::kUnspecified), "no_temporality");
  EXPECT_EQ(FaultOf(MetricKind::kSum, one, static_cast<Temporality>(9)), "no_temporality");
  EXPECT_EQ(FaultOf(MetricKind::kGauge, one, Temporality::kUnspecified), "");
  SummaryPoint summary;
  summary.time_unix_nano = 1;
  batch_.summary_points = {summary};
  EXPECT_EQ(FaultOf(MetricKind::kSummary, one, Temporality::kUnspecified), "");
}

TEST_F(PointCheckTest, ExponentialHistogramBucketIndicesMustBeInRange) {
  ExponentialHistogramPoint point;
  point.time_unix_nano = 1;
  point.positive = {.offset = std::numeric_limits<int32_t>::max() - 1,
                    .bucket_counts = {.begin = 0, .count = 1}};
  batch_.bucket_counts = {1, 2};
  batch_.exponential_histogram_points = {point};
  const Slice one = {.begin = 0, .count = 1};
  EXPECT_EQ(FaultOf(MetricKind::kExponentialHistogram, one), "");
  batch_.exponential_histogram_points[0].positive.bucket_counts.count = 2;
  EXPECT_EQ(FaultOf(MetricKind::kExponentialHistogram, one), "bucket_index_out_of_range");
}

TEST(ItemCheckTest, RepairsLogRecordIdsAndCountsWrongLengths) {
  static constexpr std::string_view kZeros("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
  LogBatch batch;
  batch.log_records.resize(3);
  batch.log_records[0].trace_id = kTraceId;
  batch.log_records[0].span_id = "seven b";
  batch.log_records[1].trace_id = kZeros;
  batch.log_records[2].span_id = kSpanId;
  base::Warnings warnings;
  EXPECT_EQ(RepairIds(&batch, &warnings), 1u);
  EXPECT_EQ(batch.log_records[0].trace_id, kTraceId);
  EXPECT_EQ(batch.log_records[0].span_id, "");
  EXPECT_EQ(batch.log_records[1].trace_id, "");
  EXPECT_EQ(batch.log_records[2].span_id, kSpanId);
  EXPECT_EQ(warnings.kinds().size(), 1u);
}

TEST(ItemCheckTest, RepairsAndCountsInvalidUtf8) {
  TraceBatch traces;
  traces.spans.resize(1);
  traces.spans[0].name = "caf\xE9";
  traces.spans[0].trace_id = "\xFF";  // not a text
  traces.nodes = {{.key = "k\xFF", .value = AnyValue::String("good \xC3\xA9")},
                  {.key = "bytes", .value = AnyValue::Bytes("\xFF")}};
  base::Warnings warnings;
  EXPECT_EQ(RepairText(&traces, &warnings), 2u);
  EXPECT_EQ(traces.spans[0].name, "caf\xEF\xBF\xBD");
  EXPECT_EQ(traces.spans[0].trace_id, "\xFF");
  EXPECT_EQ(traces.nodes[0].key, "k\xEF\xBF\xBD");
  EXPECT_EQ(traces.nodes[1].value.text, "\xFF");

  LogBatch logs;
  logs.log_records.resize(1);
  logs.log_records[0].body = AnyValue::String("\xFF");
  EXPECT_EQ(RepairText(&logs, &warnings), 1u);
  MetricBatch metrics;
  metrics.metrics.resize(1);
  metrics.metrics[0].unit = "\xFF";
  EXPECT_EQ(RepairText(&metrics, &warnings), 1u);
}

}  // namespace
}  // namespace flarestack::model
