// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/profiles/json_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "codec/otlp/json/json_value.h"
#include "codec/otlp/profiles/json_reader.h"
#include "codec/otlp/testing/full_json.h"
#include "model/builder/batch_builder.h"
#include "model/dump/dump.h"

namespace flarestack::codec::otlp {
namespace {

using model::AnyValue;
using model::Batch;

std::string Encode(const Batch& batch) {
  std::string out;
  const absl::Status status = EncodeJson(batch, [&](std::string_view piece) {
    out.append(piece);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return out;
}

Batch Decode(std::string_view json) {
  Batch batch;
  base::Warnings warnings;
  const absl::Status status = DecodeJson(json, &batch, &warnings);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_TRUE(warnings.empty());
  return batch;
}

Batch BatchWithResourceValue(const AnyValue& value) {
  model::BatchBuilder builder;
  const std::vector<model::KeyValue> nodes = {{.key = "k", .key_index = {}, .value = value}};
  model::Resource resource;
  resource.present = true;
  resource.attributes = builder.dictionary().Nodes(nodes);
  builder.AddResource(resource);
  return *std::move(builder).Finish();
}

TEST(JsonWriterTest, WritesEveryFieldInFieldNumberOrder) {
  EXPECT_EQ(Encode(Decode(kFullJson)), kFullJson);
}

TEST(JsonWriterTest, EveryFieldSurvivesTheRoundTrip) {
  const Batch batch = Decode(kFullJson);
  EXPECT_EQ(model::Dump(Decode(Encode(batch))), model::Dump(batch));
}

TEST(JsonWriterTest, BuiltBatchSurvivesTheRoundTrip) {
  model::BatchBuilder builder;
  builder.Merge(Decode(kFullJson));
  const Batch batch = *std::move(builder).Finish();
  EXPECT_EQ(model::Dump(batch), kFullDump);
  EXPECT_EQ(model::Dump(Decode(Encode(batch))), kFullDump);
}

TEST(JsonWriterTest, EmptyBatchHasTheReservedEntries) {
  EXPECT_EQ(Encode(*model::BatchBuilder().Finish()),
            R"({"dictionary":{"mappingTable":[{}],"locationTable":[{}],"functionTable":[{}],)"
            R"("linkTable":[{}],"stringTable":[""],"attributeTable":[{}],"stackTable":[{}]}})");
}

TEST(JsonWriterTest, NegativeIndexRoundTrips) {
  const std::string json =
      R"({"resourceProfiles":[{"scopeProfiles":[{"profiles":[)"
      R"({"samples":[{"stackIndex":-1,"attributeIndices":[-2147483648]}]}]}]}])";
  EXPECT_THAT(Encode(Decode(json + "}")), ::testing::StartsWith(json));
}

TEST(JsonWriterTest, RepairsInvalidUtf8) {
  const Batch batch = BatchWithResourceValue(AnyValue::String("a\xff"));
  EXPECT_THAT(Encode(batch), ::testing::HasSubstr("{\"stringValue\":\"a\xEF\xBF\xBD\"}"));
}

TEST(JsonWriterTest, DoublesAreShortAndRoundTrip) {
  const double limit = std::numeric_limits<double>::max();
  for (const double number : {0.0, -0.0, 0.1, 1e20, -1e-300, 5e-324, limit, std::ldexp(1.0, 53)}) {
    std::string text;
    EncodeJsonValue({}, AnyValue::Double(number), &text);
    model::BatchBuilder builder;
    const absl::StatusOr<AnyValue> value = DecodeJsonValue(text, &builder.dictionary());
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(value->double_value, number) << text;
    EXPECT_EQ(std::signbit(value->double_value), std::signbit(number)) << text;
  }
  std::string text;
  EncodeJsonValue({}, AnyValue::Double(0.1), &text);
  EXPECT_EQ(text, R"({"doubleValue":0.1})");
}

TEST(JsonWriterTest, WritesNumbersThatJsonLacksAsStrings) {
  const double infinity = std::numeric_limits<double>::infinity();
  std::string text;
  for (const double number : {infinity, -infinity, std::nan("")}) {
    EncodeJsonValue({}, AnyValue::Double(number), &text);
  }
  EXPECT_EQ(text, R"({"doubleValue":"Infinity"}{"doubleValue":"-Infinity"}{"doubleValue":"NaN"})");
}

TEST(JsonWriterTest, PiecesAreOfModerateSize) {
  model::BatchBuilder builder;
  const model::ScopeId scope = builder.AddScope(builder.AddResource({}), {});
  const std::string payload(1 << 20, 'x');
  model::Profile profile;
  profile.original_payload_format = "jfr";
  profile.original_payload = payload;
  builder.AddProfile(scope, profile);
  const std::vector<int64_t> values(100000, 123456789);
  model::Sample sample;
  sample.values = builder.Values(values);
  builder.AddSample(sample);
  const Batch batch = *std::move(builder).Finish();
  size_t piece_count = 0;
  std::string out;
  const absl::Status status = EncodeJson(batch, [&](std::string_view piece) {
    ++piece_count;
    EXPECT_LT(piece.size(), size_t{200} * 1024);
    out.append(piece);
    return absl::OkStatus();
  });
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_GT(piece_count, out.size() / (size_t{200} * 1024));
  EXPECT_EQ(Decode(out).profiles[0].original_payload, payload);
}

TEST(JsonWriterTest, ReturnsTheErrorOfTheReceiver) {
  int call_count = 0;
  const absl::Status status = EncodeJson(Decode(kFullJson), [&](std::string_view) {
    ++call_count;
    return absl::ResourceExhaustedError("disk full");
  });
  EXPECT_EQ(status, absl::ResourceExhaustedError("disk full"));
  EXPECT_EQ(call_count, 1);
}

TEST(JsonValueTest, ValueNeedsNoDictionary) {
  const Batch batch = Decode(kFullJson);
  const model::Slice attributes = batch.resources[0].attributes;
  std::string text;
  for (const model::KeyValue& attribute : In(batch.dictionary.nodes, attributes)) {
    EncodeJsonValue(batch.dictionary, attribute.value, &text);
    text.push_back('\n');
  }
  EXPECT_EQ(text, R"({"stringValue":"cart"}
{"stringValue":"web-1"}
{"arrayValue":{"values":[{"intValue":"-9223372036854775808"},{},{"arrayValue":{}},{"stringValue":""}]}}
{"kvlistValue":{"values":[{"key":"b","value":{"boolValue":false}},{"key":"host.name","value":{"doubleValue":-1.5}}]}}
{}
)");
}

TEST(JsonValueTest, ValueRoundTrips) {
  for (const std::string_view json :
       {R"({})", R"({"stringValue":""})", R"({"boolValue":true})", R"({"intValue":"0"})",
        R"({"bytesValue":""})", R"({"bytesValue":"AP8="})", R"({"arrayValue":{}})",
        R"({"kvlistValue":{}})",
        R"({"kvlistValue":{"values":[{},{"key":"k","value":{"arrayValue":{"values":[{}]}}}]}})"}) {
    model::BatchBuilder builder;
    const absl::StatusOr<AnyValue> value = DecodeJsonValue(json, &builder.dictionary());
    ASSERT_TRUE(value.ok()) << json << value.status();
    std::string text;
    EncodeJsonValue(builder.batch().dictionary, *value, &text);
    EXPECT_EQ(text, json);
  }
}

TEST(JsonValueTest, RejectsStringReferences) {
  model::BatchBuilder builder;
  for (const std::string_view json :
       {R"({"stringValueStrindex":0})", R"({"kvlistValue":{"values":[{"keyStrindex":1}]}})"}) {
    const auto value = DecodeJsonValue(json, &builder.dictionary());
    EXPECT_EQ(value.status().code(), absl::StatusCode::kInvalidArgument) << json;
  }
  EXPECT_FALSE(DecodeJsonValue("[]", &builder.dictionary()).ok());
  EXPECT_FALSE(DecodeJsonValue("", &builder.dictionary()).ok());
}

}  // namespace
}  // namespace flarestack::codec::otlp
