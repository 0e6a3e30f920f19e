// SPDX-License-Identifier: Apache-2.0
//
// Tests whole messages and files: messages broken in many ways at once, several messages in one
// file, other formats, old layouts, export responses.
#include "check/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/compress/compress.h"
#include "base/file/file.h"
#include "base/text/text.h"
#include "check/testing/clean_batch.h"
#include "codec/otlp/profiles/json_writer.h"

namespace flarestack::check {
namespace {

using ::testing::HasSubstr;
using namespace std::literals;
using namespace testing;

constexpr CheckOptions kOptions = {.now_unix_nano = kCleanTime + 1'000'000'000};

// One line "severity rule path" per finding.
std::string Lines(const Report& report) {
  std::string text;
  for (const RuleFindings& rule : report.rules) {
    for (const Finding& finding : rule.kept) {
      base::StrAppend(&text, SeverityName(finding.severity), " ", Info(rule.rule).id, " ",
                      finding.path, "\n");
    }
  }
  return text;
}

std::string Lines(const absl::StatusOr<FileReport>& file) {
  return file.ok() ? Lines(file->report) : file.status().ToString() + "\n";
}

std::string Frame(std::string_view message) {
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8)
    frame += static_cast<char>(message.size() >> shift);
  return frame + std::string(message);
}

std::string Json(const model::Batch& batch) {
  std::string json;
  EXPECT_TRUE(codec::otlp::EncodeJson(batch, [&](std::string_view piece) {
                json += piece;
                return absl::OkStatus();
              }).ok());
  return json;
}

model::Batch WithoutPeriod() {
  model::Batch batch = CleanBatch();
  batch.profiles[0].period = 0;
  return batch;
}
constexpr std::string_view kPeriod = "resource_profiles[0].scope_profiles[0].profiles[0].period\n";

std::string Example(std::string_view name) {
  return *base::ReadFile(base::StrCat(FLARESTACK_TESTDATA, "/examples/", name), 1 << 24);
}

TEST(CheckTest, ReportsAMissingDictionary) {
  // One resource, scope and profile with a sample that points at stack 7.
  const auto file = CheckBytes("\x0a\x0a\x12\x08\x12\x06\x12\x04\x08\x07\x22\x00"s, kOptions);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(Lines(file), HasSubstr("error dictionary-missing dictionary\n"));
  EXPECT_THAT(Lines(file), HasSubstr("error stack-index-range resource_profiles[0]"
                                     ".scope_profiles[0].profiles[0].samples[0].stack_index\n"));
}

TEST(CheckTest, ReportsEachEmptyTable) {
  const auto empty = [](auto table) {
    model::Batch batch = CleanBatch();
    (batch.dictionary.*table).clear();
    return Lines(Check(batch, kOptions));
  };
  using model::Dictionary;
  EXPECT_THAT(empty(&Dictionary::mappings), HasSubstr("table-empty dictionary.mapping_table"));
  EXPECT_THAT(empty(&Dictionary::locations), HasSubstr("table-empty dictionary.location_table"));
  EXPECT_THAT(empty(&Dictionary::functions), HasSubstr("table-empty dictionary.function_table"));
  EXPECT_THAT(empty(&Dictionary::links), HasSubstr("table-empty dictionary.link_table"));
  EXPECT_THAT(empty(&Dictionary::strings), HasSubstr("table-empty dictionary.string_table"));
  EXPECT_THAT(empty(&Dictionary::attributes), HasSubstr("table-empty dictionary.attribute_table"));
  EXPECT_THAT(empty(&Dictionary::stacks), HasSubstr("table-empty dictionary.stack_table"));
}

TEST(CheckTest, ChecksTheDictionaryOfAMessageWithoutResources) {
  model::Batch batch = CleanBatch();
  batch.ClearProfiles();
  batch.dictionary.links[1].span_id = "abc";
  const std::string found = Lines(Check(batch, kOptions));
  EXPECT_THAT(found, HasSubstr("error resource-profiles-missing resource_profiles\n"));
  EXPECT_THAT(found, HasSubstr("error link-id-length dictionary.link_table[1].span_id\n"));
}

TEST(CheckTest, ReportsEntriesReachableOnlyFromOrphans) {
  model::Batch batch = CleanBatch();
  // A stack that no sample uses, with a separate location and function.
  const model::StringIndex name = AddString(&batch, "unused");
  batch.dictionary.functions.push_back({.name = name});
  batch.dictionary.locations.push_back(
      {.mapping = {1},
       .address = 0x1300,
       .lines = {.begin = static_cast<uint32_t>(batch.dictionary.lines.size()), .count = 0}});
  AddLine(&batch, {.function = {3}, .line = 1});
  batch.dictionary.stacks.push_back(
      {.locations = {.begin = static_cast<uint32_t>(batch.dictionary.location_indices.size())}});
  AddFrame(&batch, {3});
  EXPECT_EQ(Lines(Check(batch, kOptions)),
            "warning orphan-entry dictionary.location_table[3]\n"
            "warning orphan-entry dictionary.function_table[3]\n"
            "warning orphan-entry dictionary.string_table[13]\n"
            "warning orphan-entry dictionary.stack_table[3]\n");
}

TEST(CheckTest, FindsDuplicatesByReferencedContent) {
  model::Batch batch = CleanBatch();
  // The same function with another index for the same text, which duplicates the location and stack
  // too.
  model::Function function = batch.dictionary.functions[2];
  function.name = AddString(&batch, "leaf");
  batch.dictionary.functions.push_back(function);
  model::Location location = batch.dictionary.locations[2];
  location.lines = {.begin = static_cast<uint32_t>(batch.dictionary.lines.size()), .count = 0};
  batch.dictionary.locations.push_back(location);
  AddLine(&batch, {.function = {3}, .line = 5});
  batch.dictionary.stacks.push_back(
      {.locations = {.begin = static_cast<uint32_t>(batch.dictionary.location_indices.size())}});
  AddFrame(&batch, {3});
  AddFrame(&batch, {1});
  AddSample(&batch, {3}, {});
  EXPECT_EQ(Lines(Check(batch, kOptions)),
            "warning duplicate-entry dictionary.location_table[3]\n"
            "warning duplicate-entry dictionary.function_table[3]\n"
            "warning duplicate-entry dictionary.string_table[13]\n"
            "warning duplicate-entry dictionary.stack_table[3]\n");
}

TEST(CheckTest, TimeNearTheMaximumDoesNotWrap) {
  model::Batch batch = CleanBatch();
  batch.profiles[0].time_unix_nano = ~uint64_t{0} - 10;
  batch.timestamps = {~uint64_t{0} - 5, 3};
  EXPECT_THAT(Lines(Check(batch, kOptions)),
              HasSubstr("warning timestamp-range resource_profiles[0].scope_profiles[0].profiles[0]"
                        ".samples[1].timestamps_unix_nano[0]\n"));
  EXPECT_EQ(Check(batch, kOptions).warning_count, 1U);
}

TEST(CheckTest, MissingBuildIdIsOnlyAWarningForPprof) {
  model::Batch batch = CleanBatch();
  batch.dictionary.mappings.push_back({.filename = {8}});
  batch.dictionary.locations[2].mapping = {2};
  EXPECT_EQ(Lines(Check(batch, kOptions)), "error mapping-build-id dictionary.mapping_table[2]\n");
  CheckOptions from_pprof = kOptions;
  from_pprof.is_from_pprof = true;
  EXPECT_EQ(Lines(Check(batch, from_pprof)),
            "warning mapping-build-id dictionary.mapping_table[2]\n");
  batch.profiles[0].original_payload_format = "pprof";
  batch.profiles[0].original_payload = "x";
  EXPECT_EQ(Lines(Check(batch, kOptions)),
            "warning mapping-build-id dictionary.mapping_table[2]\n");
}

TEST(CheckTest, CapsAndCountsFindingsPerRule) {
  model::Batch batch = CleanBatch();
  for (int i = 0; i < 25; ++i)
    AddSample(&batch, {2}, {});
  const Report report = Check(batch, kOptions);
  ASSERT_EQ(report.rules.size(), 1U);
  EXPECT_EQ(report.rules[0].count, 25U);
  EXPECT_EQ(report.rules[0].kept.size(), 10U);
  EXPECT_EQ(report.warning_count, 25U);
  CheckOptions all = kOptions;
  all.findings_per_rule = 0;
  EXPECT_EQ(Check(batch, all).rules[0].kept.size(), 25U);
}

TEST(CheckTest, ReadsEveryFormOfAMessage) {
  const std::string bytes = Encode(WithoutPeriod());
  const std::string json = Json(WithoutPeriod());
  const std::string expected = base::StrCat("info period-type ", kPeriod);
  EXPECT_EQ(Lines(CheckBytes(bytes, kOptions)), expected);
  EXPECT_EQ(Lines(CheckBytes(base::Gzip(bytes), kOptions)), expected);
  EXPECT_EQ(Lines(CheckBytes(base::Zstd(bytes), kOptions)), expected);
  EXPECT_EQ(Lines(CheckBytes(json, kOptions)), expected);
}

TEST(CheckTest, NumbersTheMessagesOfAFile) {
  const std::string expected = base::StrCat("info period-type message[1].", kPeriod);
  const auto framed =
      CheckBytes(Frame(Encode(CleanBatch())) + Frame(Encode(WithoutPeriod())), kOptions);
  EXPECT_EQ(Lines(framed), expected);
  EXPECT_EQ(framed->message_count, 2U);
  EXPECT_EQ(framed->format, "otlp-framed");
  EXPECT_EQ(Lines(CheckBytes(Json(CleanBatch()) + "\n" + Json(WithoutPeriod()) + "\n", kOptions)),
            expected);
}

TEST(CheckTest, ReportsEmptyTablesInJson) {
  EXPECT_THAT(Lines(CheckBytes(R"({"resourceProfiles":[{"scopeProfiles":[]}]})", kOptions)),
              HasSubstr("error dictionary-missing dictionary\n"));
}

TEST(CheckTest, ReportsNonstandardJsonNames) {
  std::string json = Json(CleanBatch());
  json.replace(json.find("scopeProfiles"), 13, "scope_profiles");
  EXPECT_EQ(Lines(CheckBytes(json, kOptions)), "info json-form \n");
}

// Inserts `member` after the first brace that follows `mark`.
std::string WithMember(std::string json, std::string_view mark, std::string_view member) {
  const size_t at = json.find('{', json.find(mark) + mark.size());
  return json.insert(at + 1, base::StrCat(member, ","));
}

// Replaces the id with this name, which must exist.
std::string WithId(std::string json, std::string_view name, std::string_view id) {
  const std::string mark = base::StrCat("\"", name, "\":\"");
  const size_t at = json.rfind(mark) + mark.size();
  return json.replace(at, json.find('"', at) - at, id);
}

TEST(CheckTest, ReportsUnknownJsonMembersWithTheirPath) {
  const std::string json = Json(CleanBatch());
  EXPECT_EQ(Lines(CheckBytes(WithMember(json, "", R"("futureField":[{"a":1}])"), kOptions)),
            "info unknown-field \n");
  EXPECT_EQ(Lines(CheckBytes(WithMember(json, "\"samples\"", R"("cpu":3)"), kOptions)),
            "info unknown-field resource_profiles[0].scope_profiles[0].profiles[0].samples[0]\n");
  EXPECT_EQ(
      Lines(CheckBytes(WithMember(json, "\"functionTable\":[{},", R"("x_y":null)"), kOptions)),
      "info unknown-field dictionary.function_table[1]\n");
  const auto file =
      CheckBytes(json + "\n" + WithMember(json, "\"scope\"", "\"a\\nb\":1"), kOptions);
  EXPECT_EQ(Lines(file),
            "info unknown-field message[1].resource_profiles[0].scope_profiles[0].scope\n");
  EXPECT_EQ(file->report.rules[0].kept[0].message, R"(unknown member "a\x0ab"; readers skip it)");
}

TEST(CheckTest, CountsUnknownMembersAndKeepsTheFirst) {
  std::string json = Json(CleanBatch());
  for (int i = 0; i < 25; ++i)
    json = WithMember(std::move(json), "", base::StrCat("\"x", i, "\":{}"));
  const auto file = CheckBytes(json, kOptions);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->report.rules[0].count, 25U);
  EXPECT_EQ(file->report.rules[0].kept.size(), 10U);
}

TEST(CheckTest, ReportsMalformedIdsInJson) {
  const std::string json = Json(CleanBatch());
  const auto lines = [&](std::string_view name, std::string_view id) {
    return Lines(CheckBytes(WithId(json, name, id), kOptions));
  };
  constexpr std::string_view kBase64 = "AAECAwQFBgcICQoLDA0ODw==";
  for (const std::string_view id : {"0102", "010", "zz", "0102030405060708090a0b0c0d0e0f1", ""})
    EXPECT_EQ(lines("traceId", id), "error link-id-length dictionary.link_table[1].trace_id\n")
        << id;
  EXPECT_EQ(lines("traceId", kBase64), "error link-id-length dictionary.link_table[1].trace_id\n");
  EXPECT_EQ(lines("spanId", "01020304050607"),
            "error link-id-length dictionary.link_table[1].span_id\n");
  EXPECT_EQ(lines("spanId", "not an id"),
            "error link-id-length dictionary.link_table[1].span_id\n");
  constexpr std::string_view kProfileId =
      "error profile-id resource_profiles[0].scope_profiles[0].profiles[0].profile_id\n";
  for (const std::string_view id :
       {"0102", "AQIDBA==", "no id at all", "0102030405060708090a0b0c0d0e0f101112"})
    EXPECT_EQ(lines("profileId", id), kProfileId) << id;
  EXPECT_EQ(lines("profileId", kBase64), "");
}

TEST(CheckTest, ConvertsAndReportsAnOldLayout) {
  // Samples of 1.9: field 2 contains values that are not attributes, and field 4 is empty.
  model::Batch batch = CleanBatch();
  batch.samples[0].timestamps = batch.samples[1].timestamps = {};
  batch.samples[0].attributes = {};
  batch.samples[0].values = batch.samples[1].values = {};
  AddToList(&batch, &batch.samples[0].attributes, {77});
  AddToList(&batch, &batch.samples[1].attributes, {77});
  const auto file = CheckBytes(Encode(batch), kOptions);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->layout, "1.9");
  EXPECT_THAT(Lines(file), HasSubstr("warning old-layout \n"));
}

TEST(CheckTest, WrongIdLengthDoesNotImplyAnOldLayout) {
  model::Batch batch = CleanBatch();
  batch.profiles[0].profile_id = "\1\2\3\4";
  const auto file = CheckBytes(Encode(batch), kOptions);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->layout, "1.10 or later");
  EXPECT_EQ(Lines(file),
            "error profile-id resource_profiles[0].scope_profiles[0].profiles[0]"
            ".profile_id\n");
}

TEST(CheckTest, ReservedFieldDoesNotHideTheFormat) {
  const std::string reserved = "\xc2\x3e\x01x";
  std::string bytes = Encode(CleanBatch());
  ASSERT_EQ(bytes[0], 0x0a);
  ASSERT_GE(static_cast<uint8_t>(bytes[1]), 0x80);  // the length has two bytes
  const size_t length =
      (static_cast<uint8_t>(bytes[1]) & 0x7f) | size_t{static_cast<uint8_t>(bytes[2])} << 7;
  bytes[1] = static_cast<char>((length + reserved.size()) | 0x80);
  bytes[2] = static_cast<char>((length + reserved.size()) >> 7);
  bytes.insert(3, reserved);
  const auto file = CheckBytes(bytes, kOptions);
  EXPECT_EQ(Lines(file), "info reserved-field resource_profiles[0]\n");
}

TEST(CheckTest, OurConversionsConformExceptForMissingInput) {
  EXPECT_EQ(Lines(CheckBytes(Example("checkout.folded"), {})), "");
  // The kernel has no build id. pprof has no field for htlhash and no rule for units.
  const auto pprof = CheckBytes(Example("checkout.pb.gz"), {});
  ASSERT_TRUE(pprof.ok()) << pprof.status();
  EXPECT_EQ(pprof->report.error_count, 0U);
  EXPECT_EQ(pprof->report.warning_count, 1U);
  EXPECT_THAT(Lines(pprof), HasSubstr("warning mapping-build-id dictionary.mapping_table[2]\n"));
}

TEST(CheckTest, RejectsInputThatIsNotAProfile) {
  EXPECT_EQ(CheckBytes("", kOptions).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CheckBytes("\x01\x02\x03", kOptions).status().code(),
            absl::StatusCode::kInvalidArgument);
  CheckOptions small = kOptions;
  small.limits.bytes_max = 10;
  EXPECT_EQ(CheckBytes(base::Gzip(Encode(CleanBatch())), small).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(CheckResponseTest, PartialSuccessMustNotBeEmpty) {
  const auto check = [](std::string_view bytes) {
    return Lines(CheckResponse(std::string(bytes), kOptions));
  };
  EXPECT_EQ(check(""), "");
  EXPECT_EQ(check("\x0a\x00"sv), "error response-empty partial_success\n");
  EXPECT_EQ(check("\x0a\x02\x08\x03"sv), "warning response-reason partial_success.error_message\n");
  EXPECT_EQ(check("\x0a\x05\x08\x03\x12\x01x"sv), "");
  EXPECT_EQ(check("\x0a\x03\x12\x01x"sv), "");
  EXPECT_EQ(check("\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv),
            "error response-count partial_success.rejected_profiles\n");
  EXPECT_EQ(check("{}"), "");
  EXPECT_EQ(check(R"({"partialSuccess":{}})"), "error response-empty partial_success\n");
  EXPECT_EQ(check(R"({"partialSuccess":{"rejectedProfiles":"2","errorMessage":"full"}})"), "");
  EXPECT_EQ(check(R"({"partialSuccess":{"rejectedProfiles":-2}})"),
            "error response-count partial_success.rejected_profiles\n");
  EXPECT_FALSE(CheckResponse("\x0a\x7f", kOptions).ok());
  EXPECT_FALSE(CheckResponse("{", kOptions).ok());
}

}  // namespace
}  // namespace flarestack::check
