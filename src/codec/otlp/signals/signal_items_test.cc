// SPDX-License-Identifier: Apache-2.0
//
// Single items: a batch that a store splits into items and reassembles means the same.
#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "codec/otlp/testing/random_message.h"
#include "codec/otlp/testing/signal_traits.h"
#include "codec/otlp/values/resource_protobuf.h"
#include "model/dump/signal_dump.h"
#include "oracle/otlp_logs.pb.h"
#include "oracle/otlp_metrics.pb.h"
#include "oracle/otlp_traces.pb.h"

namespace flarestack::codec::otlp {
namespace {

using model::Slice;

// Owns the bytes that a batch points into.
class ByteStore {
 public:
  template <typename Encode>
  std::string_view Put(Encode encode) {
    out_.Clear();
    encode(&out_);
    return kept_.emplace_back(out_.view());
  }

 private:
  wire::ReverseWriter out_{64};
  std::deque<std::string> kept_;
};

template <typename Oracle>
std::string RandomBytes(uint32_t seed) {
  Oracle data;
  RandomMessage(seed, RandomMessage::References::kOmitted).Fill(&data);
  return data.SerializeAsString();
}

// Splits the tree of a batch and reassembles it, with the items moved by `move`.
template <typename Batch, typename MoveItem>
void CopyTree(const Batch& from, ByteStore* store, Batch* to, MoveItem move) {
  for (const model::Resource& resource : from.resources) {
    std::vector<model::ItemScope> scopes;
    for (const model::ItemScope& scope : In(from.scopes, resource.scopes)) {
      const std::string_view bytes =
          store->Put([&](wire::ReverseWriter* out) { EncodeScope(from, scope, out); });
      ASSERT_TRUE(DecodeScope(bytes, {}, to).ok());
      model::ItemScope& copy = to->scopes.back();
      copy.present = scope.present;
      copy.schema_url = scope.schema_url;
      const Slice items = move(scope.items);
      to->scopes.back().items = items;
    }
    const std::string_view bytes =
        store->Put([&](wire::ReverseWriter* out) { EncodeResource(from, resource, out); });
    ASSERT_TRUE(DecodeResource(bytes, {}, to).ok());
    model::Resource& copy = to->resources.back();
    copy.present = resource.present;
    copy.schema_url = resource.schema_url;
    copy.scopes = {.begin = static_cast<uint32_t>(to->scopes.size()) - resource.scopes.count,
                   .count = resource.scopes.count};
  }
}

TEST(SignalItemsTest, SeparateSpansMeanTheSame) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    const std::string bytes = RandomBytes<oracle::TracesData>(seed);
    model::TraceBatch batch;
    ASSERT_TRUE(DecodeTraces(bytes, {}, &batch).ok());
    ByteStore store;
    model::TraceBatch again;
    CopyTree(batch, &store, &again, [&](Slice spans) {
      const Slice copied = {.begin = static_cast<uint32_t>(again.spans.size()),
                            .count = spans.count};
      for (const model::Span& span : In(batch.spans, spans)) {
        const auto encode = [&](wire::ReverseWriter* out) { EncodeSpan(batch, span, out); };
        EXPECT_TRUE(DecodeSpan(store.Put(encode), {}, &again).ok());
      }
      return copied;
    });
    EXPECT_EQ(model::Dump(again), model::Dump(batch));
  }
}

TEST(SignalItemsTest, SeparateLogRecordsMeanTheSame) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    const std::string bytes = RandomBytes<oracle::LogsData>(seed);
    model::LogBatch batch;
    ASSERT_TRUE(DecodeLogs(bytes, {}, &batch).ok());
    ByteStore store;
    model::LogBatch again;
    CopyTree(batch, &store, &again, [&](Slice records) {
      const Slice copied = {.begin = static_cast<uint32_t>(again.log_records.size()),
                            .count = records.count};
      for (const model::LogRecord& record : In(batch.log_records, records)) {
        const auto encode = [&](wire::ReverseWriter* out) { EncodeLogRecord(batch, record, out); };
        EXPECT_TRUE(DecodeLogRecord(store.Put(encode), {}, &again).ok());
      }
      return copied;
    });
    EXPECT_EQ(model::Dump(again), model::Dump(batch));
  }
}

class PointMover {
 public:
  PointMover(const model::MetricBatch& from, ByteStore* store, model::MetricBatch* to)
      : from_(from), store_(*store), to_(*to) {}

  Slice Move(const model::Metric& metric) {
    switch (metric.kind) {
      case model::MetricKind::kNone:
        break;
      case model::MetricKind::kGauge:
      case model::MetricKind::kSum:
        return Move(In(from_.number_points, metric.points), to_.number_points, DecodeNumberPoint);
      case model::MetricKind::kHistogram:
        return Move(In(from_.histogram_points, metric.points), to_.histogram_points,
                    DecodeHistogramPoint);
      case model::MetricKind::kExponentialHistogram:
        return Move(In(from_.exponential_histogram_points, metric.points),
                    to_.exponential_histogram_points, DecodeExponentialHistogramPoint);
      case model::MetricKind::kSummary:
        return Move(In(from_.summary_points, metric.points), to_.summary_points,
                    DecodeSummaryPoint);
    }
    return {};
  }

 private:
  template <typename Point, typename Decode>
  Slice Move(std::span<const Point> points, const std::vector<Point>& pool, Decode decode) {
    const Slice copied = {.begin = static_cast<uint32_t>(pool.size()),
                          .count = static_cast<uint32_t>(points.size())};
    for (const Point& point : points) {
      const auto encode = [&](wire::ReverseWriter* out) { EncodePoint(from_, point, out); };
      EXPECT_TRUE(decode(store_.Put(encode), {}, &to_).ok());
    }
    return copied;
  }

  const model::MetricBatch& from_;
  ByteStore& store_;
  model::MetricBatch& to_;
};

TEST(SignalItemsTest, SeparatePointsOfEachTypeMeanTheSame) {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    const std::string bytes = RandomBytes<oracle::MetricsData>(seed);
    model::MetricBatch batch;
    ASSERT_TRUE(DecodeMetrics(bytes, {}, &batch).ok());
    ByteStore store;
    model::MetricBatch again;
    PointMover points(batch, &store, &again);
    CopyTree(batch, &store, &again, [&](Slice metrics) {
      const Slice copied = {.begin = static_cast<uint32_t>(again.metrics.size()),
                            .count = metrics.count};
      for (const model::Metric& metric : In(batch.metrics, metrics)) {
        const auto encode = [&](wire::ReverseWriter* out) { EncodeMetricHead(batch, metric, out); };
        EXPECT_TRUE(DecodeMetric(store.Put(encode), {}, &again).ok());
        EXPECT_TRUE(again.metrics.back().points.empty());
        const Slice moved = points.Move(metric);
        again.metrics.back().points = moved;
      }
      return copied;
    });
    EXPECT_EQ(model::Dump(again), model::Dump(batch));
  }
}

TEST(SignalItemsTest, BadItemLeavesTheListUnchanged) {
  model::TraceBatch batch;
  ASSERT_TRUE(DecodeSpan("\x2a\x03one", {}, &batch).ok());
  EXPECT_EQ(DecodeSpan("\x2a\x05two", {}, &batch).code(), absl::StatusCode::kInvalidArgument);
  ASSERT_EQ(batch.spans.size(), 1u);
  EXPECT_EQ(batch.spans[0].name, "one");
  EXPECT_EQ(DecodeResource("\x0a\x01", {}, &batch).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(batch.resources.empty());
}

TEST(SignalItemsTest, LimitsAttributesOfAnItem) {
  const std::string attribute("\x4a\x00", 2);
  const std::string three = attribute + attribute + attribute;
  model::TraceBatch batch;
  EXPECT_TRUE(DecodeSpan(three, {.attributes_per_item_max = 3}, &batch).ok());
  EXPECT_EQ(DecodeSpan(three, {.attributes_per_item_max = 2}, &batch).code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(batch.spans.size(), 1u);
}

TEST(SignalItemsTest, LimitsListElementsOfASingleItem) {
  const std::string attribute("\x4a\x00", 2);
  const std::string three = attribute + attribute + attribute;
  model::TraceBatch batch;
  EXPECT_EQ(DecodeSpan(three, {.list_elements_max = 2}, &batch).code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(SignalItemsTest, RejectsAValueNestedTooDeep) {
  oracle::LogRecord record;
  oracle::AnyValue* value = record.mutable_body();
  for (int i = 0; i < 70; ++i)
    value = value->mutable_array_value()->add_values();
  model::LogBatch batch;
  EXPECT_EQ(DecodeLogRecord(record.SerializeAsString(), {}, &batch).code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(SignalItemsTest, LaterMetricTypeReplacesTheEarlierOne) {
  oracle::Metric gauge;
  gauge.mutable_gauge()->add_data_points()->set_as_int(1);
  oracle::Metric sum;
  sum.mutable_sum()->add_data_points()->set_as_int(2);
  sum.mutable_sum()->set_is_monotonic(true);
  model::MetricBatch batch;
  const std::string bytes = gauge.SerializeAsString() + sum.SerializeAsString() +
                            gauge.SerializeAsString() + gauge.SerializeAsString();
  ASSERT_TRUE(DecodeMetric(bytes, {}, &batch).ok());
  const model::Metric& metric = batch.metrics[0];
  EXPECT_EQ(metric.kind, model::MetricKind::kGauge);
  EXPECT_FALSE(metric.is_monotonic);
  ASSERT_EQ(metric.points.count, 2u);
  EXPECT_EQ(batch.number_points[metric.points.begin].value.as_int, 1);
}

TEST(SignalItemsTest, JoinsBucketsInPieces) {
  oracle::ExponentialHistogramDataPoint one;
  one.mutable_positive()->add_bucket_counts(1);
  one.mutable_negative()->add_bucket_counts(2);
  model::MetricBatch batch;
  const std::string bytes = one.SerializeAsString() + one.SerializeAsString();
  ASSERT_TRUE(DecodeExponentialHistogramPoint(bytes, {}, &batch).ok());
  const auto& point = batch.exponential_histogram_points[0];
  const auto positive = In(batch.bucket_counts, point.positive.bucket_counts);
  EXPECT_EQ(std::vector<uint64_t>(positive.begin(), positive.end()), (std::vector<uint64_t>{1, 1}));
  const auto negative = In(batch.bucket_counts, point.negative.bucket_counts);
  EXPECT_EQ(std::vector<uint64_t>(negative.begin(), negative.end()), (std::vector<uint64_t>{2, 2}));
}

TEST(SignalItemsTest, SkipsStringReferencesOutsideProfiles) {
  oracle::KeyValue attribute;
  attribute.set_key("k");
  attribute.set_key_strindex(3);
  attribute.mutable_value()->set_string_value_strindex(4);
  oracle::Span span;
  *span.add_attributes() = attribute;
  const std::string bytes = span.SerializeAsString();
  model::TraceBatch batch;
  ASSERT_TRUE(DecodeSpan(bytes, {}, &batch).ok());
  const model::KeyValue& node = batch.nodes[batch.spans[0].attributes.begin];
  EXPECT_EQ(node.key, "k");
  EXPECT_FALSE(node.key_index);
  EXPECT_EQ(node.value.kind, model::AnyValue::Kind::kEmpty);
}

}  // namespace
}  // namespace flarestack::codec::otlp
