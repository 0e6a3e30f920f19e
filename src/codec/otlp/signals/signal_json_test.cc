// SPDX-License-Identifier: Apache-2.0
//
// Common requirements for the JSON of traces, logs and metrics. Random messages come from the
// oracle's schemas, through our protobuf reader.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/status.h"
#include "base/text/text.h"
#include "codec/otlp/testing/full_signals.h"
#include "codec/otlp/testing/random_message.h"
#include "codec/otlp/testing/signal_traits.h"
#include "model/dump/signal_dump.h"
#include "oracle/otlp_logs.pb.h"
#include "oracle/otlp_metrics.pb.h"
#include "oracle/otlp_traces.pb.h"

namespace flarestack::codec::otlp {
namespace {

using ::testing::HasSubstr;

struct Traces : TraceTraits {
  using Oracle = oracle::TracesData;
  static constexpr std::string_view kFullJson = kFullTracesJson;
  static constexpr std::string_view kFullDump = kFullTracesDump;
  static constexpr std::string_view kResources = "resourceSpans";
  static constexpr std::string_view kScopes = "scopeSpans";
  static constexpr std::string_view kItems = "spans";
};
struct Logs : LogTraits {
  using Oracle = oracle::LogsData;
  static constexpr std::string_view kFullJson = kFullLogsJson;
  static constexpr std::string_view kFullDump = kFullLogsDump;
  static constexpr std::string_view kResources = "resourceLogs";
  static constexpr std::string_view kScopes = "scopeLogs";
  static constexpr std::string_view kItems = "logRecords";
};
struct Metrics : MetricTraits {
  using Oracle = oracle::MetricsData;
  static constexpr std::string_view kFullJson = kFullMetricsJson;
  static constexpr std::string_view kFullDump = kFullMetricsDump;
  static constexpr std::string_view kResources = "resourceMetrics";
  static constexpr std::string_view kScopes = "scopeMetrics";
  static constexpr std::string_view kItems = "metrics";
};

template <typename Signal>
std::string WithItems(std::string_view items) {
  return base::StrCat("{\"", Signal::kResources, "\":[{\"", Signal::kScopes, "\":[{\"",
                      Signal::kItems, "\":[", items, "]}]}]}");
}

// The dump of a message, or its error.
template <typename Signal>
std::string Read(std::string_view json, const Limits& limits = {}) {
  typename Signal::Batch batch;
  base::Warnings warnings;
  const absl::Status status = Signal::DecodeJson(json, limits, &batch, &warnings);
  return status.ok() ? model::Dump(batch) : std::string(base::Message(status));
}

template <typename Signal>
class SignalJsonTest : public ::testing::Test {};
using Signals = ::testing::Types<Traces, Logs, Metrics>;
TYPED_TEST_SUITE(SignalJsonTest, Signals);

TYPED_TEST(SignalJsonTest, ReadsAndWritesAFullMessage) {
  typename TypeParam::Batch batch;
  base::Warnings warnings;
  const absl::Status status = TypeParam::DecodeJson(TypeParam::kFullJson, {}, &batch, &warnings);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(model::Dump(batch), TypeParam::kFullDump);
  EXPECT_EQ(EncodeToJson<TypeParam>(batch), TypeParam::kFullJson);
  EXPECT_TRUE(warnings.empty());
}

TYPED_TEST(SignalJsonTest, FullMessageMeansTheSameInProtobuf) {
  typename TypeParam::Batch batch;
  base::Warnings warnings;
  ASSERT_TRUE(TypeParam::DecodeJson(TypeParam::kFullJson, {}, &batch, &warnings).ok());
  const std::string bytes = EncodeToString<TypeParam>(batch);
  typename TypeParam::Oracle judged;
  ASSERT_TRUE(judged.ParseFromString(bytes));
  EXPECT_EQ(judged.ByteSizeLong(), bytes.size());
  typename TypeParam::Batch again;
  ASSERT_TRUE(TypeParam::Decode(bytes, {}, &again).ok());
  EXPECT_EQ(model::Dump(again), TypeParam::kFullDump);
}

TYPED_TEST(SignalJsonTest, RandomMessagesSurviveJson) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    typename TypeParam::Oracle data;
    RandomMessage(seed, RandomMessage::References::kOmitted).Fill(&data);
    const std::string bytes = data.SerializeAsString();
    typename TypeParam::Batch batch;
    ASSERT_TRUE(TypeParam::Decode(bytes, {}, &batch).ok());
    const std::string json = EncodeToJson<TypeParam>(batch);
    typename TypeParam::Batch again;
    base::Warnings warnings;
    const absl::Status status = TypeParam::DecodeJson(json, {}, &again, &warnings);
    ASSERT_TRUE(status.ok()) << status << " in " << json;
    EXPECT_EQ(model::Dump(again), model::Dump(batch)) << "seed " << seed;
    EXPECT_EQ(EncodeToJson<TypeParam>(again), json);
  }
}

TYPED_TEST(SignalJsonTest, IgnoresUnknownMembersAndTreatsNullAsDefault) {
  const std::string empty = Read<TypeParam>(WithItems<TypeParam>("{}"));
  EXPECT_EQ(Read<TypeParam>(WithItems<TypeParam>(
                R"({"unknown":[{"x":[1,null,"y"]}],"attributes":null,"dropped_attributes_count":7,
                    "flags":null,"traceId":null,"name":null})")),
            empty);
  EXPECT_EQ(Read<TypeParam>("{}"), "");
}

TYPED_TEST(SignalJsonTest, ErrorsReportTheirLocation) {
  EXPECT_THAT(Read<TypeParam>(WithItems<TypeParam>("7")), HasSubstr("[0]: expected an object"));
  EXPECT_THAT(Read<TypeParam>("{"), HasSubstr("byte"));
  EXPECT_THAT(Read<TypeParam>("[]"), HasSubstr("expected an object"));
}

TYPED_TEST(SignalJsonTest, LimitsItems) {
  const std::string three = WithItems<TypeParam>("{},{},{}");
  typename TypeParam::Batch batch;
  base::Warnings warnings;
  EXPECT_TRUE(TypeParam::DecodeJson(three, {.items_max = 3}, &batch, &warnings).ok());
  EXPECT_EQ(TypeParam::DecodeJson(three, {.items_max = 2}, &batch, &warnings).code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(batch.resources.empty());
}

TEST(TraceJsonTest, ReadsHexadecimalIdsInEitherCaseAndNumbersAsText) {
  EXPECT_THAT(Read<Traces>(WithItems<Traces>(
                  R"({"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"eee19b7ec3c1b174",
                      "startTimeUnixNano":1544712660000000000,"endTimeUnixNano":"1544712661000000000",
                      "kind":"2","flags":"257","droppedLinksCount":1})")),
              HasSubstr(R"(    span ""
      trace_id 5b8efff798038103d269b633813fc60c
      span_id eee19b7ec3c1b174
      kind 2
      start_time_unix_nano 1544712660000000000
      end_time_unix_nano 1544712661000000000
      flags 257
      dropped_links_count 1
)"));
}

TEST(TraceJsonTest, RejectsAnEnumerationByName) {
  EXPECT_THAT(Read<Traces>(WithItems<Traces>(R"({"kind":"SPAN_KIND_SERVER"})")),
              HasSubstr("spans[0].kind: expected an integer"));
}

TEST(TraceJsonTest, LimitsAttributesOfAnItem) {
  const std::string json = WithItems<Traces>(R"({"attributes":[{"key":"a"},{"key":"b"}]})");
  EXPECT_THAT(Read<Traces>(json, {.attributes_per_item_max = 1}),
              HasSubstr("more attributes of one item than the limit of 1"));
  EXPECT_THAT(Read<Traces>(json, {.attributes_per_item_max = 2}), HasSubstr("attribute \"b\""));
}

TEST(MetricJsonTest, LastMetricTypeWins) {
  EXPECT_THAT(Read<Metrics>(WithItems<Metrics>(
                  R"({"sum":{"isMonotonic":true,"aggregationTemporality":2,"dataPoints":[{}]},
                      "gauge":{"isMonotonic":true,"dataPoints":[{"asInt":5}]}})")),
              HasSubstr("    metric \"\"\n      gauge\n        point\n          as_int 5\n"));
}

TEST(MetricJsonTest, ReadsSpecialNumbersFromText) {
  EXPECT_THAT(
      Read<Metrics>(WithItems<Metrics>(
          R"({"histogram":{"dataPoints":[{"sum":"NaN","min":"-Infinity","max":"Infinity"}]}})")),
      HasSubstr("sum nan\n          min -inf\n          max inf\n"));
}

TEST(LogJsonTest, SkipsStringReferences) {
  EXPECT_THAT(Read<Logs>(WithItems<Logs>(
                  R"({"body":{"stringValueStrindex":3},"attributes":[{"keyStrindex":4}]})")),
              HasSubstr("    log_record\n      attribute \"\" = empty\n"));
}

}  // namespace
}  // namespace flarestack::codec::otlp
