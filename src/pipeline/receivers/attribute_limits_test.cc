// SPDX-License-Identifier: Apache-2.0
#include "pipeline/receivers/attribute_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flarestack::pipeline {
namespace {

using model::AnyValue;
using ::testing::HasSubstr;

constexpr AttributeLimits kSmall = {.count_max = 2, .value_bytes_max = 4};

model::Slice Add(const std::vector<model::KeyValue>& attributes,
                 std::vector<model::KeyValue>* nodes) {
  const auto begin = static_cast<uint32_t>(nodes->size());
  nodes->insert(nodes->end(), attributes.begin(), attributes.end());
  return {.begin = begin, .count = static_cast<uint32_t>(attributes.size())};
}

model::KeyValue Text(std::string_view key, std::string_view text) {
  return {.key = key, .key_index = {}, .value = AnyValue::String(text)};
}

TEST(AttributeLimitsTest, DropsAndCountsSurplusAttributesOfASpan) {
  model::TraceBatch batch;
  model::Span span;
  span.attributes = Add({Text("a", "1"), Text("b", "2"), Text("c", "3")}, &batch.nodes);
  span.dropped_attributes_count = 5;
  batch.spans = {span};
  const AttributeLosses losses = LimitAttributes(kSmall, &batch);
  EXPECT_EQ(losses.dropped, 1u);
  EXPECT_EQ(batch.spans[0].attributes.count, 2u);
  EXPECT_EQ(batch.spans[0].dropped_attributes_count, 6u);
  EXPECT_THAT(losses.Explain(kSmall), HasSubstr("1 attributes dropped: at most 2"));
}

TEST(AttributeLimitsTest, TruncatesLongTextAtACharacterBoundary) {
  model::TraceBatch batch;
  model::Span span;
  span.attributes = Add({Text("a", "abcde"), Text("b", "abc\xc3\xa4")}, &batch.nodes);
  batch.spans = {span};
  const AttributeLosses losses = LimitAttributes(kSmall, &batch);
  EXPECT_EQ(losses.cut, 2u);
  EXPECT_EQ(losses.dropped, 0u);
  EXPECT_EQ(batch.nodes[0].value.text, "abcd");
  EXPECT_EQ(batch.nodes[1].value.text, "abc");
  EXPECT_THAT(losses.Explain(kSmall), HasSubstr("2 attribute values truncated: at most 4 bytes"));
}

TEST(AttributeLimitsTest, DoesNotChangeDataWithinTheLimits) {
  model::TraceBatch batch;
  model::Span span;
  span.attributes = Add({Text("a", "abcd"), Text("b", "\xc3\xa4\xc3\xa4")}, &batch.nodes);
  batch.spans = {span};
  const AttributeLosses losses = LimitAttributes(kSmall, &batch);
  EXPECT_EQ(losses.Explain(kSmall), "");
  EXPECT_EQ(batch.nodes[1].value.text, "\xc3\xa4\xc3\xa4");
}

TEST(AttributeLimitsTest, DoesNotTruncateLogRecordBodies) {
  model::LogBatch batch;
  model::LogRecord record;
  record.body = AnyValue::Array(Add({Text("", "a long line")}, &batch.nodes));
  const model::Slice inner = Add({Text("", "a long value")}, &batch.nodes);
  record.attributes =
      Add({{.key = "list", .key_index = {}, .value = AnyValue::Array(inner)}}, &batch.nodes);
  batch.log_records = {record};
  EXPECT_EQ(LimitAttributes(kSmall, &batch).cut, 1u);
  EXPECT_EQ(batch.nodes[0].value.text, "a long line");
  EXPECT_EQ(batch.nodes[1].value.text, "a lo");
}

TEST(AttributeLimitsTest, TruncatesReferencedTextOnlyForTheAttribute) {
  model::Batch batch;
  batch.dictionary.strings = {"", "a long name"};
  batch.dictionary.attributes = {
      {}, {.key = {1}, .unit = {}, .value = AnyValue::Reference(model::StringIndex{1})}};
  batch.dictionary.attribute_indices = {{1}, {1}, {1}};
  model::Sample sample;
  sample.attributes = {.begin = 0, .count = 3};
  batch.samples = {sample};
  const AttributeLosses losses = LimitAttributes(kSmall, &batch);
  EXPECT_EQ(losses.cut, 1u);
  EXPECT_EQ(losses.dropped, 1u);
  EXPECT_EQ(batch.dictionary.strings[1], "a long name");
  EXPECT_EQ(batch.dictionary.String(batch.dictionary.attributes[1].value), "a lo");
  EXPECT_EQ(batch.samples[0].attributes.count, 2u);
}

TEST(AttributeLimitsTest, RejectsPointsInsteadOfChangingThem) {
  model::MetricBatch batch;
  model::NumberPoint good;
  good.attributes = Add({Text("a", "1")}, &batch.nodes);
  model::NumberPoint many;
  many.attributes = Add({Text("a", "1"), Text("b", "2"), Text("c", "3")}, &batch.nodes);
  model::NumberPoint longer;
  longer.attributes = Add({Text("a", "12345")}, &batch.nodes);
  batch.number_points = {good, many, longer};
  model::Metric metric;
  metric.kind = model::MetricKind::kGauge;
  metric.points = {.begin = 0, .count = 3};
  batch.metrics = {metric};
  model::ItemScope scope;
  scope.items = {.begin = 0, .count = 1};
  batch.scopes = {scope};
  const auto beyond = FindPointsBeyond(kSmall, batch);
  ASSERT_EQ(beyond.size(), 2u);
  EXPECT_EQ(beyond[0].point, 1u);
  EXPECT_EQ(beyond[0].fault, model::ItemFault::kTooManyAttributes);
  EXPECT_EQ(beyond[1].point, 2u);
  EXPECT_EQ(beyond[1].fault, model::ItemFault::kAttributeTooLong);
  EXPECT_EQ(LimitAttributes(kSmall, &batch).cut, 0u);
  EXPECT_EQ(batch.nodes.back().value.text, "12345");
}

}  // namespace
}  // namespace flarestack::pipeline
