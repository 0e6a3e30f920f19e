// SPDX-License-Identifier: Apache-2.0
//
// From pprof to OTLP and back: one test for each detail that must survive.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/sanitized.h"
#include "base/status.h"
#include "codec/pprof/from_otlp.h"
#include "codec/pprof/message/mapping_keys.h"
#include "codec/pprof/message/reader.h"
#include "codec/pprof/message/writer.h"
#include "codec/pprof/testing/profile_maker.h"
#include "codec/pprof/to_otlp.h"
#include "model/builder/batch_builder.h"
#include "model/dump/dump.h"
#include "model/validation/validate.h"

namespace flarestack::codec::pprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Number;
using testing::PprofText;
using testing::ProfileMaker;
using testing::Text;

model::Batch Forward(const Profile& profile) {
  base::Warnings warnings;
  auto batch = ToOtlp(profile, &warnings);
  EXPECT_TRUE(batch.ok()) << batch.status();
  if (!batch.ok())
    return {};
  EXPECT_TRUE(model::ValidateIndices(*batch).ok());
  return *std::move(batch);
}

Profile Back(const model::Batch& batch) {
  base::Warnings warnings;
  auto profile = FromOtlp(batch, {}, &warnings);
  EXPECT_TRUE(profile.ok()) << profile.status();
  return profile.ok() ? *std::move(profile) : Profile{};
}

// Encodes and decodes in both directions: bytes, message, bytes.
std::string RoundTrip(const Profile& profile) {
  base::Warnings warnings;
  const std::string bytes(EncodeProfile(profile).view());
  const auto read = DecodeProfile(bytes, &warnings);
  EXPECT_TRUE(read.ok()) << read.status();
  if (!read.ok())
    return "";
  EXPECT_EQ(PprofText(*read), PprofText(profile));
  return PprofText(Back(Forward(*read)));
}

void ExpectRoundTrip(const Profile& profile) { EXPECT_EQ(RoundTrip(profile), PprofText(profile)); }

std::vector<std::string> TypesOf(const model::Batch& batch) {
  std::vector<std::string> types;
  for (const model::Profile& profile : batch.profiles) {
    types.emplace_back(batch.dictionary.Text(profile.sample_type.type));
  }
  return types;
}

std::vector<int64_t> OrderOf(const model::Batch& batch) {
  std::vector<int64_t> order;
  for (const model::KeyValue& attribute :
       model::In(batch.dictionary.nodes, batch.scopes[0].attributes)) {
    if (batch.dictionary.Key(attribute) != kSampleTypeOrderKey)
      continue;
    for (const auto& node : model::In(batch.dictionary.nodes, attribute.value.nodes)) {
      order.push_back(node.value.int_value);
    }
  }
  return order;
}

ProfileMaker OneColumn() {
  ProfileMaker maker;
  maker.Type("cpu", "nanoseconds");
  return maker;
}

TEST(PprofToOtlpTest, SampleKeepsItsStackLeafFirst) {
  ProfileMaker maker = OneColumn();
  maker.AddSample({maker.Frame("leaf"), maker.Frame("main")}, {7});
  const model::Batch batch = Forward(maker.profile);
  ASSERT_EQ(batch.profiles.size(), 1u);
  ASSERT_EQ(batch.samples.size(), 1u);
  EXPECT_EQ(batch.values[batch.samples[0].values.begin], 7);
  const std::string dump = model::Dump(batch);
  EXPECT_LT(dump.find("leaf"), dump.find("main"));
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, LastColumnComesFirstWithoutADefault) {
  ProfileMaker maker;
  maker.Type("samples", "count").Type("cpu", "nanoseconds");
  maker.AddSample({maker.Frame("f")}, {1, 10});
  const model::Batch batch = Forward(maker.profile);
  EXPECT_THAT(TypesOf(batch), ElementsAre("cpu", "samples"));
  EXPECT_THAT(OrderOf(batch), ElementsAre(1, 0));
  EXPECT_THAT(model::Dump(batch), Not(HasSubstr(std::string(kDefaultSampleTypeKey))));
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, DefaultColumnComesFirst) {
  ProfileMaker maker;
  maker.Type("alloc_objects", "count").Type("alloc_space", "bytes").Type("inuse_objects", "count");
  maker.Type("inuse_space", "bytes");
  maker.profile.default_sample_type = "inuse_space";
  maker.AddSample({maker.Frame("f")}, {1, 2, 3, 4});
  const model::Batch batch = Forward(maker.profile);
  EXPECT_THAT(TypesOf(batch),
              ElementsAre("inuse_space", "alloc_space", "inuse_objects", "alloc_objects"));
  // A converter that ignores the order and swaps the first and the last gets the original columns.
  EXPECT_THAT(OrderOf(batch), ElementsAre(3, 1, 2, 0));
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, DefaultInTheMiddleRoundTrips) {
  ProfileMaker maker;
  maker.Type("a", "count").Type("b", "count").Type("c", "count");
  maker.profile.default_sample_type = "b";
  maker.AddSample({maker.Frame("f")}, {1, 2, 3});
  EXPECT_THAT(OrderOf(Forward(maker.profile)), ElementsAre(1, 2, 0));
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, KeepsADefaultThatNamesNoColumn) {
  ProfileMaker maker;
  maker.Type("a", "count").Type("b", "count");
  maker.profile.default_sample_type = "gone";
  maker.AddSample({maker.Frame("f")}, {1, 2});
  EXPECT_THAT(TypesOf(Forward(maker.profile)), ElementsAre("b", "a"));
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, ColumnsThatShareANameStaySeparate) {
  ProfileMaker maker;
  maker.Type("time", "seconds").Type("time", "nanoseconds").Type("time", "nanoseconds");
  maker.profile.default_sample_type = "time";
  maker.AddSample({maker.Frame("f")}, {1, 2, 3});
  EXPECT_THAT(OrderOf(Forward(maker.profile)), ElementsAre(0, 2, 1));
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, InlinedLinesKeepTheirOrder) {
  ProfileMaker maker = OneColumn();
  const uint32_t callee = maker.AddFunction("callee");
  const uint32_t caller = maker.AddFunction("caller");
  const uint32_t location = maker.AddLocation(
      {.address = 5},
      {{.function = callee, .line = 90, .column = 3}, {.function = caller, .line = 10}});
  maker.AddSample({location}, {1});
  const model::Batch batch = Forward(maker.profile);
  EXPECT_EQ(batch.dictionary.lines[0].line, 90);
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, LocationsThatDifferOnlyInFoldingStaySeparate) {
  ProfileMaker maker = OneColumn();
  const uint32_t plain = maker.AddLocation({.address = 5});
  const uint32_t folded = maker.AddLocation({.address = 5, .is_folded = true});
  maker.AddSample({plain, folded}, {1});
  EXPECT_EQ(Forward(maker.profile).dictionary.locations.size(), 3u);
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, MappingWithoutFlagsAndBuildIdGetsNoAttributes) {
  ProfileMaker maker = OneColumn();
  const uint32_t mapping =
      maker.AddMapping({.memory_start = 1, .memory_limit = 2, .filename = "a"});
  maker.AddSample({maker.AddLocation({.mapping = mapping, .address = 1})}, {1});
  EXPECT_EQ(Forward(maker.profile).dictionary.mappings[1].attributes.count, 0u);
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, MappingFlagsAndBuildIdsOfEachKindSurvive) {
  ProfileMaker maker = OneColumn();
  maker.AddMapping({.memory_start = 1,
                    .memory_limit = 2,
                    .file_offset = 3,
                    .filename = "a",
                    .build_id = "ab12",
                    .has_functions = true,
                    .has_filenames = true,
                    .has_line_numbers = true,
                    .has_inline_frames = true});
  maker.AddMapping(
      {.memory_start = 4, .memory_limit = 5, .filename = "b", .build_id = "go/build/id/x"});
  maker.AddMapping({.memory_start = 6, .memory_limit = 7, .filename = "c", .build_id = "not hex"});
  const std::string dump = model::Dump(Forward(maker.profile));
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, MappingsThatDifferInTheirBuildIdStaySeparate) {
  ProfileMaker maker = OneColumn();
  maker.AddMapping({.memory_start = 1, .memory_limit = 2, .filename = "a", .build_id = "aa"});
  maker.AddMapping({.memory_start = 1, .memory_limit = 2, .filename = "a", .build_id = "bb"});
  EXPECT_EQ(Forward(maker.profile).dictionary.mappings.size(), 3u);
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, SampleWithoutLocationsHasStackZero) {
  ProfileMaker maker = OneColumn();
  maker.AddSample({}, {5});
  EXPECT_EQ(Forward(maker.profile).samples[0].stack.value, 0u);
  ExpectRoundTrip(maker.profile);
}

// A store or a Collector in between rebuilds the tables, and the ids no longer match. They are not
// a reason to add a comment that the file did not have.
TEST(PprofToOtlpTest, StaleIdsAddNoComment) {
  ProfileMaker maker;
  maker.Type("cpu", "nanoseconds");
  maker.AddSample({maker.Frame("f")}, {1});
  maker.profile.functions[0].id = 100;
  maker.profile.locations[0].id = 50;
  maker.profile.comments = {"built by hand"};
  const model::Batch batch = Forward(maker.profile);
  ASSERT_THAT(model::Dump(batch), HasSubstr(std::string(kLocationIdsKey)));

  model::BatchBuilder builder;
  builder.dictionary().Function({.name = builder.dictionary().String("of another profile")});
  const std::vector<model::Line> lines = {{.function = {1}, .line = 3}};
  builder.dictionary().Location({.address = 77}, lines, {});
  builder.Merge(batch);
  const auto changed = std::move(builder).Finish();
  ASSERT_TRUE(changed.ok());
  base::Warnings warnings;
  const auto back = FromOtlp(*changed, {}, &warnings);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_THAT(back->comments, ElementsAre("built by hand"));
}

TEST(PprofToOtlpTest, SparseIdsSurvive) {
  ProfileMaker maker = OneColumn();
  const uint32_t function = maker.AddFunction("f", 77);
  const uint32_t mapping =
      maker.AddMapping({.id = 9, .memory_start = 1, .memory_limit = 2, .filename = "x"});
  const uint32_t location =
      maker.AddLocation({.id = (uint64_t{1} << 63) + 5, .mapping = mapping, .address = 1},
                        {{.function = function, .line = 1}});
  maker.AddSample({location}, {1});
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, LabelsOfEachTypeSurvive) {
  ProfileMaker maker = OneColumn();
  const uint32_t frame = maker.Frame("f");
  maker.AddSample({frame}, {1}, {Text("thread", "main")});
  maker.AddSample({frame}, {2}, {Number("bytes", 128, "bytes")});
  maker.AddSample({frame}, {3}, {Number("zero", 0)});
  maker.AddSample({frame}, {4}, {Text("empty", "")});
  maker.AddSample({frame}, {5}, {Text("k", "a"), Text("k", "b")});
  maker.AddSample({frame}, {6}, {Text("k", "1"), Number("k", 1)});
  maker.AddSample({frame}, {7}, {Number("n", 1, "ms"), Number("n", 2)});
  maker.AddSample({frame}, {8}, {Number("n", 1, "ms"), Number("n", 2, "ms")});
  maker.AddSample({frame}, {9},
                  {Text("s", std::string_view("\x01\0\0\0\0\0\0\0", 8)), Number("n", 1)});
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, KeysOfASampleAreUnique) {
  ProfileMaker maker = OneColumn();
  maker.AddSample({}, {6}, {Text("k", "1"), Number("k", 1), Number("k", 2, "ms"), Text("k", "2")});
  const model::Batch batch = Forward(maker.profile);
  std::vector<std::string> keys;
  for (const model::AttributeIndex index :
       model::In(batch.dictionary.attribute_indices, batch.samples[0].attributes)) {
    keys.emplace_back(batch.dictionary.Text(batch.dictionary.attributes[index.value].key));
  }
  EXPECT_THAT(keys, ElementsAre("k", "flarestack.pprof.label.2.k", "flarestack.pprof.label.3.k",
                                "flarestack.pprof.label.4.k"));
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, LabelTextThatLooksLikeAValueStaysText) {
  ProfileMaker maker = OneColumn();
  for (const char* text :
       {R"({"doubleValue":1.5})", R"({"stringValue":"x"})", R"({"intValue":"5"})", "{}", "{x}",
        R"({"boolValue":true,"unit":"By"})", R"({"arrayValue":{"values":[]}})",
        R"({"stringValue":"{}"})", R"({ "doubleValue":1.5})"}) {
    maker.AddSample({}, {1}, {Text("k", text)});
  }
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, TraceAndSpanLabelsBecomeALink) {
  ProfileMaker maker = OneColumn();
  maker.AddSample(
      {}, {1},
      {Text("trace_id", "0102030405060708090a0b0c0d0e0f10"), Text("span_id", "1112131415161718")});
  const model::Batch batch = Forward(maker.profile);
  EXPECT_EQ(batch.samples[0].link.value, 1u);
  EXPECT_TRUE(batch.samples[0].attributes.empty());
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, TraceLabelsThatAreNotIdsStayLabels) {
  ProfileMaker maker = OneColumn();
  maker.AddSample({}, {1}, {Text("trace_id", "0102030405060708090a0b0c0d0e0f10")});
  maker.AddSample({}, {2}, {Text("trace_id", "x"), Text("span_id", "1112131415161718")});
  maker.AddSample(
      {}, {3},
      {Text("trace_id", "00000000000000000000000000000000"), Text("span_id", "1112131415161718")});
  EXPECT_EQ(Forward(maker.profile).dictionary.links.size(), 1u);
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, KeepsOrderRepeatsAndEmptyComments) {
  ProfileMaker maker = OneColumn();
  maker.profile.comments = {"a", "", "a"};
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, FrameExpressionsAndUrlSurviveAndEmptyOnesAreOmitted) {
  ProfileMaker maker = OneColumn();
  maker.profile.drop_frames = "malloc.*";
  maker.profile.doc_url = "https://example.com/doc";
  const model::Batch batch = Forward(maker.profile);
  EXPECT_EQ(batch.profiles[0].attributes.count, 2u);
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, TimesAndPeriodSurvive) {
  ProfileMaker maker = OneColumn();
  maker.profile.time_nanos = 1700000000000000000;
  maker.profile.duration_nanos = 5;
  maker.profile.period_type = {.type = "cpu", .unit = "nanoseconds"};
  maker.profile.period = 10000000;
  ExpectRoundTrip(maker.profile);
  maker.profile.duration_nanos = -1;
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, FunctionsWithTheSameConcatenationStaySeparate) {
  ProfileMaker maker = OneColumn();
  const uint32_t one = maker.AddFunction(Function{.name = "ab", .system_name = "c"});
  const uint32_t two = maker.AddFunction(Function{.name = "a", .system_name = "bc"});
  maker.AddSample({maker.AddLocation({.address = 1}, {{.function = one}}),
                   maker.AddLocation({.address = 1}, {{.function = two}})},
                  {1});
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, EmptyMappingDiffersFromNoMapping) {
  ProfileMaker maker = OneColumn();
  const uint32_t mapping = maker.AddMapping({});
  maker.AddSample(
      {maker.AddLocation({.mapping = mapping, .address = 1}), maker.AddLocation({.address = 1})},
      {1});
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, KeepsUnusedTableEntries) {
  ProfileMaker maker = OneColumn();
  maker.AddMapping({.memory_start = 1, .memory_limit = 2, .filename = "unused"});
  maker.Frame("unused");
  maker.AddFunction("unused too");
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, EqualSamplesStaySeparateRows) {
  ProfileMaker maker;
  maker.Type("samples", "count").Type("cpu", "nanoseconds");
  const uint32_t frame = maker.Frame("f");
  maker.AddSample({frame}, {1, 10});
  maker.AddSample({frame}, {2, 20});
  maker.AddSample({frame}, {0, 0});
  ExpectRoundTrip(maker.profile);
}

TEST(PprofToOtlpTest, ProfileWithoutSamplesOrTypesSurvives) {
  ExpectRoundTrip(ProfileMaker().profile);
  ExpectRoundTrip(OneColumn().profile);
}

TEST(PprofToOtlpTest, LargeTablesAndLongStringsTakeLinearTime) {
  ProfileMaker maker = OneColumn();
  const std::string long_name(10 << 20, 'x');
  const uint32_t function = maker.AddFunction(long_name);
  std::vector<uint32_t> stack;
  for (uint64_t i = 0; i < (base::kIsSanitized ? 20'000 : 200'000); ++i) {
    stack.push_back(maker.AddLocation({.address = i + 1}, {{.function = function, .line = 1}}));
  }
  maker.AddSample(stack, {1});
  ExpectRoundTrip(maker.profile);
}

TEST(PprofReaderTest, DistinguishesTextFromNumbersByTheWire) {
  ProfileMaker maker = OneColumn();
  maker.AddSample({}, {1}, {Text("a", ""), Number("b", 0)});
  const std::string bytes(EncodeProfile(maker.profile).view());
  base::Warnings warnings;
  const auto read = DecodeProfile(bytes, &warnings);
  ASSERT_TRUE(read.ok());
  EXPECT_FALSE(read->sample_labels[0].is_number);
  EXPECT_TRUE(read->sample_labels[1].is_number);
}

std::string ErrorOf(const std::string& bytes) {
  base::Warnings warnings;
  const auto read = DecodeProfile(bytes, &warnings);
  return read.ok() ? "ok" : std::string(base::Message(read.status()));
}

TEST(PprofReaderTest, RejectsTwoConcatenatedProfiles) {
  ProfileMaker maker = OneColumn();
  maker.AddSample({maker.Frame("f")}, {1});
  const std::string timeless(EncodeProfile(maker.profile).view());
  EXPECT_THAT(ErrorOf(timeless + timeless), HasSubstr("concatenated"));
  maker.profile.time_nanos = 5;
  const std::string timed(EncodeProfile(maker.profile).view());
  EXPECT_THAT(ErrorOf(timed + timed), HasSubstr("concatenated"));
}

TEST(PprofReaderTest, WarnsAboutAMappingIdWithoutMapping) {
  // location {id 1, mapping_id 9}, string_table [""]
  const std::string bytes("\x22\x04\x08\x01\x10\x09\x32\x00", 8);
  base::Warnings warnings;
  const auto read = DecodeProfile(bytes, &warnings);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->locations[0].mapping, kNoMapping);
  EXPECT_EQ(warnings.kinds().size(), 1u);
}

TEST(PprofReaderTest, ReportsEachBrokenRule) {
  EXPECT_THAT(ErrorOf(std::string("\x22\x06\x08\x01\x22\x02\x08\x00\x32\x00", 10)),
              HasSubstr("function_id 0"));
  EXPECT_THAT(ErrorOf(std::string("\x2a\x04\x08\x01\x10\x01\x32\x00", 8)),
              HasSubstr("string index 1"));
  EXPECT_THAT(ErrorOf(std::string("\x2a\x00\x32\x00", 4)), HasSubstr("id is 0"));
  EXPECT_THAT(ErrorOf(std::string("\x2a\x02\x08\x01\x2a\x02\x08\x01\x32\x00", 10)),
              HasSubstr("id 1 is not unique"));
  EXPECT_THAT(ErrorOf(std::string("\x12\x02\x08\x05\x0a\x00\x32\x00", 8)),
              HasSubstr("5 has no location"));
  EXPECT_THAT(ErrorOf(std::string("\x12\x00\x0a\x00\x32\x00", 6)),
              HasSubstr("0 values for 1 sample types"));
  EXPECT_THAT(ErrorOf(std::string("\x12\x00\x32\x00", 4)), HasSubstr("no sample_type"));
  EXPECT_THAT(ErrorOf(std::string("\x32\x01x", 3)), HasSubstr("string_table[0]"));
  EXPECT_THAT(ErrorOf(std::string("\x32\x05x", 3)), HasSubstr("at byte 2"));
}

}  // namespace
}  // namespace flarestack::codec::pprof
