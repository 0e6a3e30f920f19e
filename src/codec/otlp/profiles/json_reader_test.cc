// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/profiles/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file/file.h"
#include "base/status.h"
#include "base/text/text.h"
#include "codec/otlp/layouts/protobuf_reader.h"
#include "codec/otlp/profiles/protobuf_writer.h"
#include "codec/otlp/testing/full_json.h"
#include "codec/otlp/testing/json_messages.h"
#include "model/dump/dump.h"

namespace flarestack::codec::otlp {
namespace {

using model::Batch;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Batch Decode(std::string_view json, base::Warnings* warnings = nullptr) {
  Batch batch;
  base::Warnings own_warnings;
  const absl::Status status =
      DecodeJson(json, &batch, warnings != nullptr ? warnings : &own_warnings);
  EXPECT_TRUE(status.ok()) << status;
  return batch;
}

// The message of the error, which must be kInvalidArgument.
std::string ErrorOf(std::string_view json) {
  Batch batch;
  base::Warnings warnings;
  const absl::Status status = DecodeJson(json, &batch, &warnings);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << json.substr(0, 200);
  EXPECT_TRUE(batch.profiles.empty() && batch.dictionary.strings.empty());
  return std::string(base::Message(status));
}

constexpr std::string_view kSamplePath =
    "resourceProfiles[0].scopeProfiles[0].profiles[0].samples[0].";

TEST(JsonReaderTest, ReadsEveryField) { EXPECT_EQ(model::Dump(Decode(kFullJson)), kFullDump); }

// The output of the OpenTelemetry Collector's library (go.opentelemetry.io/collector/pdata/pprofile
// 0.164.0, JSON unmarshaler and marshaler) for our message with every field. It moves strings of
// resources and scopes into the table and always writes a resource and a scope.
TEST(JsonReaderTest, CollectorPreservesTheMeaning) {
  const auto json =
      base::ReadFile(FLARESTACK_TESTDATA "/otlp/collector_pdata_0.164.0.json", 1 << 20);
  ASSERT_TRUE(json.ok()) << json.status();
  Batch batch = Decode(*json);
  ASSERT_EQ(batch.resources.size(), 2u);
  batch.resources[1].present = false;
  batch.scopes[1].present = false;
  EXPECT_EQ(model::Dump(batch), kFullDump);
}

TEST(JsonReaderTest, ProtobufAndJsonMeanTheSame) {
  const Batch batch = Decode(kFullJson);
  wire::ReverseWriter bytes(EstimateProtobufBytes(batch));
  EncodeProtobuf(batch, &bytes);
  Batch again;
  const auto layout = DecodeProtobuf(bytes.view(), {}, &again);
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_EQ(model::Dump(again), kFullDump);
}

TEST(JsonReaderTest, WhiteSpaceAndOrderDoNotMatter) {
  const Batch batch = Decode(
      " {\n\"dictionary\" : { \"stringTable\": [ \"\" , \"a\" ] } ,\t\"resourceProfiles\":[\r] } "
      "\n");
  EXPECT_EQ(batch.dictionary.strings[1], "a");
}

TEST(JsonReaderTest, EveryTableHasItsReservedEntry) {
  for (const std::string_view json :
       {"{}", R"({"dictionary":{}})", R"({"dictionary":{"stringTable":[],"linkTable":null}})"}) {
    const model::Dictionary dictionary = Decode(json).dictionary;
    EXPECT_EQ(dictionary.mappings.size(), 1u);
    EXPECT_EQ(dictionary.locations.size(), 1u);
    EXPECT_EQ(dictionary.functions.size(), 1u);
    EXPECT_EQ(dictionary.links.size(), 1u);
    EXPECT_EQ(dictionary.strings.size(), 1u);
    EXPECT_EQ(dictionary.attributes.size(), 1u);
    EXPECT_EQ(dictionary.stacks.size(), 1u);
  }
}

TEST(JsonReaderTest, ClearsTheBatchFirst) {
  Batch batch = Decode(kFullJson);
  base::Warnings warnings;
  ASSERT_TRUE(DecodeJson("{}", &batch, &warnings).ok());
  EXPECT_EQ(model::Dump(batch), "");
}

TEST(JsonReaderTest, TextOutlivesTheInput) {
  auto json = std::make_unique<std::string>(kFullJson);
  const Batch batch = Decode(*json);
  json.reset();
  EXPECT_EQ(model::Dump(batch), kFullDump);
}

TEST(JsonReaderTest, NullIsTheDefault) {
  const Batch batch = Decode(
      R"({"resourceProfiles":[null,{"resource":null,"schemaUrl":null,"scopeProfiles":[{"scope":null,"profiles":[)"
      R"({"sampleType":null,"samples":[{"values":[null,"1"],"stackIndex":null,"attributeIndices":null}],)"
      R"("profileId":null,"originalPayload":null}]}]}],"dictionary":{"stringTable":[null],)"
      R"("attributeTable":[null,{"value":null},{"value":{"intValue":null}}]}})");
  EXPECT_EQ(model::Dump(batch),
            "resource absent\nresource absent\n  scope absent\n    profile\n      sample\n        "
            "values 0 1\n");
  EXPECT_EQ(batch.dictionary.attributes[2].value.kind, model::AnyValue::Kind::kEmpty);
}

TEST(JsonReaderTest, IgnoresUnknownNames) {
  const Batch batch = Decode(WithSample(
      R"("x":{"y":[1,-2.5e3,"\u00e9",true,null,{}]},"":0,"stack_index_":[[]],"values":["1"],"big":123456789012345678901234567890)"));
  EXPECT_EQ(batch.values, std::vector<int64_t>{1});
}

TEST(JsonReaderTest, NamesMayBeEscaped) {
  EXPECT_EQ(Decode(WithSample(R"("\u0076alues":[1])")).values, std::vector<int64_t>{1});
}

TEST(JsonReaderTest, AcceptsSnakeCaseWithAWarning) {
  base::Warnings warnings;
  const Batch batch = Decode(
      R"({"resource_profiles":[{"scope_profiles":[{"profiles":[{"samples":[{"timestamps_unix_nano":[5]}]}]}]}],)"
      R"("dictionary":{"string_table":["","a"]}})",
      &warnings);
  EXPECT_EQ(batch.timestamps, std::vector<uint64_t>{5});
  EXPECT_EQ(batch.dictionary.strings.size(), 2u);
  ASSERT_EQ(warnings.kinds().size(), 1u);
  const auto& [kind, found] = *warnings.kinds().begin();
  EXPECT_THAT(kind, HasSubstr("snake_case"));
  EXPECT_EQ(found.count, 4u);
  EXPECT_EQ(found.examples[0], "resourceProfiles");
  EXPECT_EQ(found.examples[1], "resourceProfiles[0].scopeProfiles");
}

TEST(JsonReaderTest, ReadsIntegersInAllForms) {
  const Batch batch = Decode(WithSample(
      R"("values":[1,"2",3.0,4e0,"5.0","6e0",-7,"-8",9223372036854775807,"-9223372036854775808",1e18],)"
      R"("timestampsUnixNano":[18446744073709551615,"18446744073709551615",1.7e18,-0],"stackIndex":"3","linkIndex":2.0)"));
  EXPECT_EQ(batch.values, (std::vector<int64_t>{1, 2, 3, 4, 5, 6, -7, -8, INT64_MAX, INT64_MIN,
                                                1000000000000000000}));
  EXPECT_EQ(batch.timestamps,
            (std::vector<uint64_t>{UINT64_MAX, UINT64_MAX, 1700000000000000000, 0}));
  EXPECT_EQ(batch.samples[0].stack.value, 3u);
  EXPECT_EQ(batch.samples[0].link.value, 2u);
}

TEST(JsonReaderTest, ReportsThePathOfABadInteger) {
  const auto error_of = [](std::string_view members) { return ErrorOf(WithSample(members)); };
  const auto at = [](std::string_view rest) { return base::StrCat(kSamplePath, rest); };
  EXPECT_EQ(error_of(R"("values":["x"])"), at(R"(values[0]: expected an integer, found "x")"));
  EXPECT_EQ(error_of(R"("values":[1, 1.5 ])"), at("values[1]: expected an integer, found 1.5"));
  EXPECT_EQ(error_of(R"("values":[""])"), at(R"(values[0]: expected an integer, found "")"));
  EXPECT_EQ(error_of(R"("values":["NaN"])"), at(R"(values[0]: expected an integer, found "NaN")"));
  EXPECT_EQ(error_of(R"("values":[true])"), at("values[0]: expected an integer, found true"));
  EXPECT_EQ(error_of(R"("values":[[1]])"), at("values[0]: expected an integer, found an array"));
  EXPECT_EQ(error_of(R"("values":{})"), at("values: expected an array, found an object"));
  EXPECT_EQ(error_of(R"("values":7)"), at("values: expected an array, found 7"));
  for (const std::string_view number : {"9223372036854775808", "-9223372036854775809", "1e30"}) {
    EXPECT_EQ(
        error_of(base::StrCat(R"("values":[)", number, "]")),
        at(base::StrCat("values[0]: expected an integer in the range of int64, found ", number)));
    EXPECT_EQ(error_of(base::StrCat(R"("values":[")", number, "\"]")),
              at(base::StrCat("values[0]: expected an integer in the range of int64, found \"",
                              number, "\"")));
  }
  EXPECT_THAT(error_of(R"("timestampsUnixNano":[-1])"), HasSubstr("range of uint64, found -1"));
  EXPECT_THAT(error_of(R"("timestampsUnixNano":["18446744073709551616"])"),
              HasSubstr("range of uint64"));
  EXPECT_THAT(error_of(R"("stackIndex":2147483648)"),
              HasSubstr("stackIndex: expected an integer in the range of int32"));
  EXPECT_THAT(error_of(R"("attributeIndices":["-2147483649"])"),
              HasSubstr("attributeIndices[0]: expected an integer in the range of int32"));
  EXPECT_THAT(ErrorOf(WithProfile(R"("droppedAttributesCount":4294967296)")),
              HasSubstr("range of uint32"));
  EXPECT_THAT(ErrorOf(WithProfile(R"("droppedAttributesCount":-1)")), HasSubstr("range of uint32"));
}

TEST(JsonReaderTest, ReportsValuesOfTheWrongType) {
  EXPECT_EQ(ErrorOf(WithTables(R"("stringTable":["",5])")),
            "dictionary.stringTable[1]: expected a string, found 5");
  EXPECT_EQ(ErrorOf(WithTables(R"("linkTable":[[]])")),
            "dictionary.linkTable[0]: expected an object, found an array");
  EXPECT_EQ(
      ErrorOf(WithValue(R"({"boolValue":"true"})")),
      R"(dictionary.attributeTable[1].value.boolValue: expected true or false, found "true")");
  EXPECT_THAT(ErrorOf(WithValue(R"({"doubleValue":"fast"})")),
              HasSubstr(R"(expected a number, found "fast")"));
  EXPECT_THAT(ErrorOf(WithValue(R"({"doubleValue":{}})")),
              HasSubstr("expected a number, found an object"));
  EXPECT_THAT(ErrorOf(WithValue(R"({"bytesValue":"!"})")),
              HasSubstr(R"(expected base64, found "!")"));
  EXPECT_EQ(ErrorOf("[1]"), "expected an object, found an array");
  EXPECT_EQ(ErrorOf("7"), "expected an object, found 7");
  const std::string error =
      ErrorOf(WithSample(base::StrCat(R"("values":[")", std::string(500, 'x'), "\"]")));
  EXPECT_LT(error.size(), 200u);
}

TEST(JsonReaderTest, ReadsDoublesInAllForms) {
  const auto read = [](std::string_view number) {
    return Decode(WithValue(base::StrCat(R"({"doubleValue":)", number, "}")))
        .dictionary.attributes[1]
        .value.double_value;
  };
  EXPECT_EQ(read("1.5"), 1.5);
  EXPECT_EQ(read("\"1.5\""), 1.5);
  EXPECT_EQ(read("100000000000000000000"), 1e20);
  EXPECT_EQ(read("-3"), -3);
  EXPECT_TRUE(std::isnan(read("\"NaN\"")));
  EXPECT_EQ(read("\"Infinity\""), std::numeric_limits<double>::infinity());
  EXPECT_EQ(read("\"-Infinity\""), -std::numeric_limits<double>::infinity());
}

TEST(JsonReaderTest, ReadsHexadecimalIdsInEitherCase) {
  const Batch batch = Decode(
      WithTables(R"("linkTable":[{"traceId":"","spanId":""},{"traceId":"0aFF","spanId":"BC"}])"));
  EXPECT_EQ(batch.dictionary.links[0].trace_id, "");
  EXPECT_EQ(batch.dictionary.links[1].trace_id, "\x0a\xff");
  EXPECT_EQ(batch.dictionary.links[1].span_id, "\xbc");
  EXPECT_THAT(
      ErrorOf(WithTables(R"("linkTable":[{"traceId":"abc"}])")),
      StartsWith("dictionary.linkTable[0].traceId: expected an even number of hexadecimal digits"));
}

TEST(JsonReaderTest, ProfileIdIsHexadecimalOrBase64) {
  const auto read = [](std::string_view id) {
    return std::string(
        Decode(WithProfile(base::StrCat(R"("profileId":")", id, "\""))).profiles[0].profile_id);
  };
  const std::string id = "0123456789abcdef";
  EXPECT_EQ(read("30313233343536373839616263646566"), id);
  EXPECT_EQ(read("MDEyMzQ1Njc4OWFiY2RlZg=="), id);
  EXPECT_EQ(read("MDEyMzQ1Njc4OWFiY2RlZg"), id);
  EXPECT_EQ(read(""), "");
  for (const std::string_view bad : {"3031", "MDEy", "zz313233343536373839616263646566"}) {
    EXPECT_THAT(ErrorOf(WithProfile(base::StrCat(R"("profileId":")", bad, "\""))),
                HasSubstr("profileId: expected 16 bytes as hexadecimal digits or base64"));
  }
}

TEST(JsonReaderTest, ReadsBytesInEitherBase64Alphabet) {
  for (const std::string_view text : {"+/8=", "-_8=", "+/8", "-_8"}) {
    const Batch batch = Decode(WithValue(base::StrCat(R"({"bytesValue":")", text, "\"}")));
    EXPECT_EQ(batch.dictionary.attributes[1].value.text, "\xfb\xff") << text;
  }
}

TEST(JsonReaderTest, LastMemberOfAValueWins) {
  const Batch batch =
      Decode(WithValue(R"({"stringValue":"a","arrayValue":{"values":[{}]},"intValue":"5"})"));
  EXPECT_EQ(batch.dictionary.attributes[1].value.kind, model::AnyValue::Kind::kInt);
  EXPECT_EQ(batch.dictionary.attributes[1].value.int_value, 5);
}

TEST(JsonReaderTest, RejectsADuplicateNameInAnObject) {
  EXPECT_EQ(ErrorOf(R"({"dictionary":{},"dictionary":{}})"),
            "dictionary: duplicate name in an object");
  EXPECT_THAT(ErrorOf(WithProfile(R"("samples":[],"sample":[])")), HasSubstr("duplicate name"));
}

TEST(JsonReaderTest, ReadsNamesOfVersions18And19) {
  base::Warnings warnings;
  const Batch batch = Decode(
      R"({"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"sampleType":{"typeStrindex":1,"aggregationTemporality":1},)"
      R"("sample":[{"stackIndex":1,"values":["1"]}],"commentStrindices":[1,2],"attributeIndices":[1]},)"
      R"({"commentStrindices":[2]},{"commentStrindices":[]}]}]}],)"
      R"("dictionary":{"stringTable":["","a","b"],"attributeTable":[{},{"keyStrindex":1}],)"
      R"("locationTable":[{},{"line":[{"line":"7"}]}],"stackTable":[{},{"locationIndices":[1]}]}})",
      &warnings);
  EXPECT_EQ(model::Dump(batch), R"(resource absent
  scope absent
    profile
      sample_type "a" unit ""
      attribute "a" = empty
      attribute "pprof.profile.comment" = array [string "a", string "b"]
      sample
        values 1
        location 0x0
          frame "" line 7
    profile
      attribute "pprof.profile.comment" = array [string "b"]
    profile
)");
  ASSERT_EQ(warnings.kinds().size(), 1u);
  EXPECT_THAT(warnings.kinds().begin()->first, HasSubstr("aggregation temporality"));
}

TEST(JsonReaderTest, RejectsOlderVersionsByName) {
  EXPECT_EQ(ErrorOf(WithProfile(R"("locationIndices":[1])")),
            "OTLP/JSON of version 1.7 or older (profile.locationIndices at "
            "resourceProfiles[0].scopeProfiles[0].profiles[0].locationIndices); JSON is supported "
            "from version 1.8 on, older versions only in protobuf");
  for (const std::string& json :
       {WithProfile(R"("timeNanos":"5")"), WithProfile(R"("durationNanos":"5")"),
        WithProfile(R"("sampleType":[{}])"), WithProfile(R"("location_indices":[1])"),
        WithSample(R"("locationsStartIndex":1)"), WithSample(R"("locationsLength":1)"),
        WithSample(R"("value":["1"])"), WithTables(R"("attributeUnits":[])"),
        WithTables(R"("attributeTable":[{"key":"a"}])"),
        WithTables(R"("mappingTable":[{"hasFunctions":true}])"),
        WithTables(R"("locationTable":[{"isFolded":true}])"),
        std::string(R"({"stringTable":[""]})")}) {
    EXPECT_THAT(ErrorOf(json), StartsWith("OTLP/JSON of version 1.7 or older")) << json;
  }
}

TEST(JsonReaderTest, ReportsTheOffsetOfInvalidJson) {
  EXPECT_THAT(ErrorOf(R"({"dictionary":})"), StartsWith("not JSON at byte 14: "));
  EXPECT_THAT(ErrorOf(R"({"dictionary":{} x})"), StartsWith("not JSON at byte 17: "));
  EXPECT_THAT(ErrorOf("{} {}"), StartsWith("not JSON at byte 3: "));
  EXPECT_THAT(ErrorOf("{}]"), StartsWith("not JSON at byte 2: "));
  EXPECT_THAT(ErrorOf(""), StartsWith("not JSON at byte 0: "));
  EXPECT_THAT(ErrorOf("{\"a\":\"\xff\"}"), StartsWith("not JSON at byte 6: "));
  EXPECT_THAT(ErrorOf("{\"a\":\"\n\"}"), StartsWith("not JSON at byte 6: "));
  EXPECT_THAT(ErrorOf(R"({"a":"\q"})"), StartsWith("not JSON at byte 7: "));
  EXPECT_THAT(ErrorOf(R"({"a":01})"), StartsWith("not JSON at byte 6: "));
  EXPECT_THAT(ErrorOf(R"({"a":nul})"), StartsWith("not JSON at byte "));
  EXPECT_THAT(ErrorOf(R"({"a":[1 2]})"), StartsWith("not JSON at byte "));
}

TEST(JsonReaderTest, RejectsEveryTruncation) {
  for (size_t size = 0; size < kFullJson.size(); ++size) {
    EXPECT_NE(ErrorOf(kFullJson.substr(0, size)), "");
  }
}

TEST(JsonReaderTest, OmitsBadIdsIfTheRestMustStay) {
  constexpr std::string_view kMessage = R"({
    "resourceProfiles":[{"scopeProfiles":[{"profiles":[{"profileId":"no id",
      "samples":[{"linkIndex":1,"values":["3"]}]}]}]}],
    "dictionary":{"linkTable":[{},{"traceId":"xyz","spanId":"0102030405060708"}]}})";
  model::Batch batch;
  base::Warnings warnings;
  EXPECT_FALSE(DecodeJson(kMessage, &batch, &warnings).ok());
  ASSERT_TRUE(
      DecodeJson(kMessage, &batch, &warnings, {}, ReservedEntries::kAdded, BadIds::kDropped).ok());
  EXPECT_EQ(batch.samples.size(), 1u);
  EXPECT_EQ(batch.profiles[0].profile_id, "");
  EXPECT_EQ(batch.dictionary.links[1].trace_id, "");
  EXPECT_FALSE(warnings.empty());
}

}  // namespace
}  // namespace flarestack::codec::otlp
