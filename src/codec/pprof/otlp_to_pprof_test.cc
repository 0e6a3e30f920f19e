// SPDX-License-Identifier: Apache-2.0
//
// From OTLP to pprof and back, with messages that did not come from a pprof writer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/status.h"
#include "codec/pprof/from_otlp.h"
#include "codec/pprof/message/mapping_keys.h"
#include "codec/pprof/message/reader.h"
#include "codec/pprof/message/writer.h"
#include "codec/pprof/testing/profile_maker.h"
#include "codec/pprof/to_otlp.h"
#include "model/builder/batch_builder.h"
#include "model/dump/dump.h"
#include "model/frame.h"
#include "model/validation/validate.h"

namespace flarestack::codec::pprof {
namespace {

using model::AnyValue;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::PprofText;

class Maker {
 public:
  Maker() : builder_(model::Grouping::kNone) {}

  model::DictionaryBuilder& dictionary() { return builder_.dictionary(); }

  void Resource(std::string_view service) {
    const std::vector<model::KeyValue> attributes = {
        {.key = {},
         .key_index = dictionary().String("service.name"),
         .value = AnyValue::Reference(dictionary().String(service))}};
    model::Resource resource;
    resource.present = true;
    resource.attributes = dictionary().Nodes(attributes);
    resource_ = builder_.AddResource(resource);
    scope_ =
        builder_.AddScope(resource_, {{.present = true, .name = "profiler", .version = "1.2"}});
  }
  void PlainResource() { scope_ = builder_.AddScope(builder_.AddResource({}), {}); }

  void Profile(std::string_view type, std::string_view unit, model::Profile profile = {}) {
    profile.sample_type = {.type = dictionary().String(type), .unit = dictionary().String(unit)};
    builder_.AddProfile(scope_, profile);
  }

  model::StackIndex Stack(std::string_view name) {
    const model::FunctionIndex function =
        dictionary().Function({.name = dictionary().String(name)});
    const std::vector<model::Line> lines = {{.function = function, .line = 3}};
    const model::LocationIndex location =
        dictionary().Location({.address = 1}, lines, location_attributes);
    return dictionary().Stack({&location, 1});
  }

  void Sample(std::string_view name, const std::vector<int64_t>& values,
              const std::vector<uint64_t>& times = {},
              const std::vector<model::AttributeIndex>& attributes = {},
              model::LinkIndex link = {}) {
    builder_.AddSample({.stack = Stack(name),
                        .link = link,
                        .attributes = dictionary().AttributeList(attributes),
                        .values = builder_.Values(values),
                        .timestamps = builder_.Timestamps(times)});
  }

  model::Batch Finish() {
    auto batch = std::move(builder_).Finish();
    EXPECT_TRUE(batch.ok());
    EXPECT_TRUE(model::ValidateIndices(*batch).ok());
    return *std::move(batch);
  }

  std::vector<model::AttributeIndex> location_attributes;

 private:
  model::BatchBuilder builder_;
  model::ResourceId resource_;
  model::ScopeId scope_;
};

struct Converted {
  Profile profile;
  base::Warnings warnings;
};

// The output of the format: one sample at a time, in pieces.
std::string InPieces(const model::Batch& batch, const FromOtlpOptions& options,
                     size_t piece_bytes) {
  base::Warnings warnings;
  const auto view = ViewAsPprof(batch, options, &warnings);
  EXPECT_TRUE(view.ok()) << view.status();
  if (!view.ok())
    return "";
  const ProfilePieces pieces(view->tables(), view->samples(), piece_bytes);
  std::string joined;
  for (size_t piece = 0; piece < pieces.count(); ++piece)
    joined += pieces.Encode(piece).view();
  return joined;
}

Converted Back(const model::Batch& batch, const FromOtlpOptions& options = {}) {
  Converted converted;
  auto profile = FromOtlp(batch, options, &converted.warnings);
  EXPECT_TRUE(profile.ok()) << profile.status();
  if (!profile.ok())
    return converted;
  converted.profile = *std::move(profile);
  const std::string whole(EncodeProfile(converted.profile).view());
  for (const size_t piece_bytes : {1, 50, 1000})
    EXPECT_EQ(InPieces(batch, options, piece_bytes), whole);
  return converted;
}

void ExpectRoundTrip(const model::Batch& batch) {
  base::Warnings warnings;
  const std::string bytes(EncodeProfile(Back(batch).profile).view());
  const auto profile = DecodeProfile(bytes, &warnings);
  ASSERT_TRUE(profile.ok()) << profile.status();
  const auto again = ToOtlp(*profile, &warnings);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(model::Dump(*again), model::Dump(batch));
}

// On the wire each sample has a separate list of attributes, perhaps in another order.
TEST(OtlpToPprofTest, SamplesInTheSameOrderAreRowsForAnyAttributeOrder) {
  const auto make = [](bool is_turned) {
    Maker maker;
    maker.PlainResource();
    const model::AttributeIndex a = maker.dictionary().Attribute("a", AnyValue::Int(1));
    const model::AttributeIndex b = maker.dictionary().Attribute("b", AnyValue::Int(2));
    maker.Profile("samples", "count");
    for (const int64_t value : {1, 2, 3})
      maker.Sample("main", {value}, {}, {a, b});
    maker.Profile("cpu", "nanoseconds");
    for (const int64_t value : {10, 20, 30}) {
      is_turned ? maker.Sample("main", {value}, {}, {b, a})
                : maker.Sample("main", {value}, {}, {a, b});
    }
    return maker.Finish();
  };
  for (const bool is_turned : {false, true}) {
    const Profile profile = Back(make(is_turned)).profile;
    EXPECT_EQ(profile.samples.size(), 3u);
    for (const char* row : {"sample 1 = 10 1 ", "sample 1 = 20 2 ", "sample 1 = 30 3 "})
      EXPECT_THAT(PprofText(profile), HasSubstr(row)) << is_turned;
  }
}

TEST(OtlpToPprofTest, JoinsProfilesOfUnequalLengthBySampleIdentity) {
  Maker maker;
  maker.PlainResource();
  maker.Profile("cpu", "nanoseconds");
  maker.Sample("a", {10});
  maker.Sample("b", {20});
  maker.Sample("c", {30});
  maker.Profile("samples", "count");
  maker.Sample("c", {3});
  maker.Sample("a", {1});
  const model::Batch batch = maker.Finish();
  const std::string text = PprofText(Back(batch).profile);
  EXPECT_THAT(text, HasSubstr("sample 1 = 1 10\n"));
  EXPECT_THAT(text, HasSubstr("sample 2 = 0 20 otlp.absent_column=0column\n"));
  EXPECT_THAT(text, HasSubstr("sample 3 = 3 30\n"));
}

TEST(OtlpToPprofTest, AbsentSamplesStayAbsent) {
  Maker maker;
  maker.PlainResource();
  maker.Profile("cpu", "nanoseconds");
  maker.Sample("a", {10});
  maker.Sample("b", {0});
  maker.Profile("samples", "count");
  maker.Sample("a", {1});
  ExpectRoundTrip(maker.Finish());
}

TEST(OtlpToPprofTest, TimestampsBecomeTimedRowsAndRoundTrip) {
  Maker maker;
  maker.PlainResource();
  maker.Profile("samples", "count");
  maker.Sample("a", {}, {100, 200, 300, 400});
  maker.Sample("b", {2, 3}, {100, 200});
  const model::Batch batch = maker.Finish();
  const Converted converted = Back(batch);
  EXPECT_EQ(converted.profile.samples.size(), 6u);
  EXPECT_THAT(PprofText(converted.profile),
              HasSubstr("sample 1 = 1 otlp.event_unix_nano=400nanoseconds\n"));
  EXPECT_THAT(PprofText(converted.profile),
              HasSubstr("sample 2 = 3 otlp.timestamp_unix_nano=200nanoseconds\n"));
  ExpectRoundTrip(batch);
}

TEST(OtlpToPprofTest, AggregateCountsTimestamps) {
  Maker maker;
  maker.PlainResource();
  maker.Profile("samples", "count");
  maker.Sample("a", {}, {100, 200, 300, 400});
  maker.Sample("a", {2, 3}, {100, 200});
  const Converted converted = Back(maker.Finish(), {.aggregate = true});
  ASSERT_EQ(converted.profile.samples.size(), 1u);
  EXPECT_EQ(converted.profile.sample_values[0], 9);
}

// The same samples give the same bytes, regardless of other content in the dictionary.
TEST(OtlpToPprofTest, OmitsUnreferencedEntries) {
  std::vector<std::string> texts;
  for (const bool has_orphans : {false, true}) {
    Maker maker;
    maker.PlainResource();
    if (has_orphans) {
      maker.Stack("orphan");
      maker.Stack("b");
      maker.dictionary().Mapping({.memory_start = 7}, {});
    }
    maker.Profile("samples", "count");
    maker.Sample("a", {1});
    maker.Sample("b", {2});
    maker.Sample("a", {3});
    const model::Batch batch = maker.Finish();
    texts.push_back(PprofText(Back(batch, {.plain = true}).profile));
    EXPECT_EQ(PprofText(Back(batch).profile).find("orphan") != std::string::npos, has_orphans);
  }
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_THAT(texts[0], Not(HasSubstr("orphan")));
}

// No comment or label that only we understand.
TEST(OtlpToPprofTest, PlainUsesOnlyNativePprofFields) {
  Maker maker;
  for (const char* service : {"cart", "shop"}) {
    maker.Resource(service);
    maker.location_attributes = {
        maker.dictionary().Attribute("profile.frame.type", AnyValue::String("native"))};
    maker.Profile("cpu", "nanoseconds");
    maker.Sample("a", {10});
    maker.Sample("b", {20});
    maker.Profile("samples", "count");
    maker.Sample("a", {1});
  }
  const model::Batch batch = maker.Finish();
  EXPECT_FALSE(Back(batch).profile.comments.empty());
  const Converted plain = Back(batch, {.plain = true});
  EXPECT_TRUE(plain.profile.comments.empty());
  EXPECT_TRUE(plain.profile.sample_labels.empty());
  const std::string text = PprofText(plain.profile);
  EXPECT_THAT(text, HasSubstr("sample 1 = 2 20\n"));
  EXPECT_THAT(text, HasSubstr("sample 2 = 0 40\n"));
}

TEST(OtlpToPprofTest, RejectsSeveralValuesWithoutTimestamps) {
  Maker maker;
  maker.PlainResource();
  maker.Profile("samples", "count");
  maker.Sample("a", {1, 2});
  base::Warnings warnings;
  const auto profile = FromOtlp(maker.Finish(), {}, &warnings);
  EXPECT_EQ(profile.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(base::Message(profile.status())), HasSubstr("2 values and 0 timestamps"));
}

TEST(OtlpToPprofTest, AttributesOfEveryTypeSurvive) {
  Maker maker;
  maker.PlainResource();
  maker.Profile("samples", "count");
  model::DictionaryBuilder& dictionary = maker.dictionary();
  const auto array = [&](const std::vector<AnyValue>& values) {
    std::vector<model::KeyValue> nodes;
    for (const AnyValue& value : values)
      nodes.push_back({.key = {}, .key_index = {}, .value = value});
    return AnyValue::Array(dictionary.Nodes(nodes));
  };
  const std::vector<model::KeyValue> entries = {
      {.key = "x", .key_index = {}, .value = AnyValue::Int(1)}};
  const std::vector<AnyValue> values = {AnyValue::Double(1.5),
                                        AnyValue::Bool(true),
                                        AnyValue::Bytes("\x01\x02"),
                                        AnyValue{},
                                        AnyValue::String("x"),
                                        AnyValue::String(R"({"boolValue":true})"),
                                        AnyValue::Int(-5),
                                        array({}),
                                        array({AnyValue::Int(1)}),
                                        array({AnyValue::Int(1), AnyValue::Int(2)}),
                                        array({AnyValue::String("a"), AnyValue::String("b")}),
                                        array({AnyValue::String("a"), AnyValue::Int(1)}),
                                        AnyValue::KeyValueList(dictionary.Nodes(entries))};
  for (const AnyValue& value : values) {
    for (const char* unit : {"", "By"}) {
      maker.Sample("a", {1}, {}, {dictionary.Attribute("k", value, unit)});
    }
  }
  ExpectRoundTrip(maker.Finish());
}

TEST(OtlpToPprofTest, LinksBecomeLabelsAndLookalikesDoNot) {
  Maker maker;
  maker.PlainResource();
  maker.Profile("samples", "count");
  model::DictionaryBuilder& dictionary = maker.dictionary();
  const model::LinkIndex link =
      dictionary.Link({.trace_id = "0123456789abcdef", .span_id = "01234567"});
  const auto trace =
      dictionary.Attribute("trace_id", AnyValue::String("30313233343536373839616263646566"));
  const auto span = dictionary.Attribute("span_id", AnyValue::String("3031323334353637"));
  maker.Sample("a", {1}, {}, {}, link);
  maker.Sample("b", {1}, {}, {trace, span});
  maker.Sample("c", {1}, {}, {trace, span}, link);
  maker.Sample("d", {1}, {}, {trace});
  const model::Batch batch = maker.Finish();
  EXPECT_THAT(
      PprofText(Back(batch).profile),
      HasSubstr("trace_id=\"30313233343536373839616263646566\" span_id=\"3031323334353637\""));
  ExpectRoundTrip(batch);
}

TEST(OtlpToPprofTest, ResourcesScopesAndProfileFieldsSurvive) {
  Maker maker;
  model::Profile fields;
  fields.time_unix_nano = 1000;
  fields.duration_nano = 2000;
  fields.profile_id = "0123456789abcdef";
  fields.original_payload_format = "jfr";
  fields.original_payload = "FLR";
  fields.dropped_attributes_count = 3;
  maker.Resource("cart");
  maker.Profile("samples", "count", fields);
  maker.Sample("a", {}, {1100});
  maker.Profile("off_cpu", "nanoseconds");
  maker.Sample("b", {7}, {1200});
  maker.Resource("checkout");
  maker.Profile("samples", "count");
  maker.Sample("a", {}, {1300});
  maker.Profile("samples", "count");
  maker.Sample("a", {}, {2300});
  const model::Batch batch = maker.Finish();
  const std::string text = PprofText(Back(batch).profile);
  EXPECT_THAT(text, HasSubstr("otlp.profile_group=1"));
  EXPECT_THAT(text, HasSubstr("comment \"flarestack.otlp/1 {"));
  ExpectRoundTrip(batch);
}

TEST(OtlpToPprofTest, AttributesOfLocationsAndMappingsSurvive) {
  Maker maker;
  maker.PlainResource();
  maker.Profile("samples", "count");
  maker.location_attributes = {
      maker.dictionary().Attribute("profile.frame.type", AnyValue::String("native")),
      maker.dictionary().Attribute(model::kInternalFrameKey, AnyValue::Bool(true))};
  maker.Sample("a", {1});
  ExpectRoundTrip(maker.Finish());
}

TEST(OtlpToPprofTest, MessageThatPprofCanExpressGetsNoEnvelope) {
  Maker maker;
  maker.PlainResource();
  maker.Profile("samples", "count");
  maker.Sample("a", {1});
  EXPECT_THAT(PprofText(Back(maker.Finish()).profile), Not(HasSubstr("comment")));
}

TEST(OtlpToPprofTest, ReadsNumberedCommentsWithAGapInOrder) {
  Maker maker;
  maker.PlainResource();
  model::Profile fields;
  const std::vector<model::AttributeIndex> attributes = {
      maker.dictionary().Attribute("pprof.profile.comment.2", AnyValue::String("third")),
      maker.dictionary().Attribute("pprof.profile.comment.0", AnyValue::String("first"))};
  fields.attributes = maker.dictionary().AttributeList(attributes);
  maker.Profile("samples", "count", fields);
  const Converted converted = Back(maker.Finish());
  ASSERT_GE(converted.profile.comments.size(), 2u);
  EXPECT_EQ(converted.profile.comments[0], "first");
  EXPECT_EQ(converted.profile.comments[1], "third");
  EXPECT_FALSE(converted.warnings.empty());
}

TEST(OtlpToPprofTest, ReservedEntriesInStacksAndLinesSurvive) {
  Maker maker;
  maker.PlainResource();
  maker.Profile("samples", "count");
  model::DictionaryBuilder& dictionary = maker.dictionary();
  const std::vector<model::Line> lines = {{.function = {}, .line = 3}};
  const std::vector<model::LocationIndex> stack = {{},
                                                   dictionary.Location({.address = 9}, lines, {})};
  dictionary.Stack(stack);
  maker.Sample("a", {1});
  model::Batch batch = maker.Finish();
  batch.samples[0].stack = {1};
  ExpectRoundTrip(batch);
}

TEST(OtlpToPprofTest, MergedPlainProfilesAddUp) {
  Maker maker;
  for (const int64_t value : {3, 4}) {
    maker.PlainResource();
    model::Profile fields;
    fields.time_unix_nano = static_cast<uint64_t>(1000 - value);
    fields.duration_nano = 10;
    maker.Profile("samples", "count", fields);
    maker.Sample("a", {value});
  }
  maker.Sample("b", {1});
  const Profile profile = Back(maker.Finish()).profile;
  EXPECT_EQ(profile.time_nanos, 996);
  EXPECT_EQ(profile.duration_nanos, 20);
  const std::string text = PprofText(profile);
  EXPECT_THAT(text, HasSubstr("sample 1 = 7\n"));
  EXPECT_THAT(text, HasSubstr("sample 2 = 1\n"));
}

}  // namespace
}  // namespace flarestack::codec::pprof
