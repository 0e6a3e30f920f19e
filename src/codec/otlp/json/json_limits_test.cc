// SPDX-License-Identifier: Apache-2.0
//
// Hostile input: each limit of the JSON reader is reached.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/sanitized.h"
#include "base/status.h"
#include "base/text/text.h"
#include "codec/otlp/profiles/json_reader.h"
#include "codec/otlp/testing/json_messages.h"

namespace flarestack::codec::otlp {
namespace {

using model::Batch;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Batch Decode(std::string_view json) {
  Batch batch;
  base::Warnings warnings;
  const absl::Status status = DecodeJson(json, &batch, &warnings);
  EXPECT_TRUE(status.ok()) << status;
  return batch;
}

// The message of the error, which must be kResourceExhausted.
std::string LimitErrorOf(std::string_view json, const Limits& limits = {}) {
  Batch batch;
  base::Warnings warnings;
  const absl::Status status = DecodeJson(json, &batch, &warnings, limits);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << json.substr(0, 200);
  EXPECT_TRUE(batch.profiles.empty() && batch.dictionary.strings.empty());
  return std::string(base::Message(status));
}

TEST(JsonLimitsTest, LimitsNestingOfValues) {
  const auto nested = [](int levels) {
    std::string text;
    for (int i = 1; i < levels; ++i) {
      text +=
          i % 2 != 0 ? R"({"arrayValue":{"values":[)" : R"({"kvlistValue":{"values":[{"value":)";
    }
    text += "{}";
    for (int i = levels - 1; i >= 1; --i) {
      text += i % 2 != 0 ? "]}}" : "}]}}";
    }
    return WithValue(text);
  };
  EXPECT_EQ(Decode(nested(64)).dictionary.nodes.size(), 63u);
  EXPECT_THAT(LimitErrorOf(nested(65)), HasSubstr("nested deeper than the limit of 64"));
  EXPECT_THAT(LimitErrorOf(nested(100000)), HasSubstr("nested deeper than the limit of 64"));
}

TEST(JsonLimitsTest, LimitsNestingOfUnknownMembers) {
  const auto nested = [](size_t levels) {
    return base::StrCat(R"({"x":)", std::string(levels, '['), std::string(levels, ']'), "}");
  };
  EXPECT_EQ(Decode(nested(64)).profiles.size(), 0u);
  EXPECT_THAT(LimitErrorOf(nested(65)), HasSubstr("limit of 64"));
  EXPECT_THAT(LimitErrorOf(nested(1000000)), HasSubstr("limit of 64"));
}

TEST(JsonLimitsTest, LimitsTablesAndSamples) {
  Limits limits;
  limits.table_entries_max = 3;
  limits.samples_max = 2;
  const auto list = [](std::string_view name, std::string_view entry, int count) {
    std::string text = base::StrCat("\"", name, "\":[", entry);
    for (int i = 1; i < count; ++i) {
      base::StrAppend(&text, ",", entry);
    }
    return text + "]";
  };
  Batch batch;
  base::Warnings warnings;
  for (const std::string_view table : {"mappingTable", "locationTable", "functionTable",
                                       "linkTable", "attributeTable", "stackTable"}) {
    EXPECT_TRUE(DecodeJson(WithTables(list(table, "{}", 3)), &batch, &warnings, limits).ok());
    EXPECT_EQ(
        LimitErrorOf(WithTables(list(table, "{}", 4)), limits),
        base::StrCat("dictionary.", table, "[3]: more entries in one table than the limit of 3"));
  }
  EXPECT_EQ(LimitErrorOf(WithTables(list("stringTable", "\"\"", 4)), limits),
            "dictionary.stringTable[3]: more entries in one table than the limit of 3");
  EXPECT_TRUE(DecodeJson(WithProfile(list("samples", "{}", 2)), &batch, &warnings, limits).ok());
  EXPECT_THAT(LimitErrorOf(WithProfile(list("samples", "{}", 3)), limits),
              HasSubstr("samples[2]: more entries in one message than the limit of 2"));
  EXPECT_THAT(LimitErrorOf("{" + list("resourceProfiles", "{}", 4) + "}", limits),
              HasSubstr("limit of 3"));
}

TEST(JsonLimitsTest, LimitsLists) {
  Limits limits;
  limits.list_elements_max = 2;
  for (const std::string& json :
       {WithSample(R"("values":[1,2,3])"), WithSample(R"("timestampsUnixNano":[1,2,3])"),
        WithSample(R"("attributeIndices":[1,2,3])"), WithProfile(R"("commentStrindices":[1,2,3])"),
        WithTables(R"("locationTable":[{"lines":[{},{},{}]}])"),
        WithTables(R"("stackTable":[{"locationIndices":[1,2]},{"locationIndices":[3]}])"),
        WithValue(R"({"arrayValue":{"values":[{},{},{}]}})"),
        WithValue(R"({"kvlistValue":{"values":[{},{},{}]}})")}) {
    EXPECT_THAT(LimitErrorOf(json, limits), HasSubstr("more list elements than the limit of 2"));
  }
}

TEST(JsonLimitsTest, ReadsMillionsOfElementsInLinearTime) {
  constexpr size_t kCount = base::kIsSanitized ? 1'000'000 : 10'000'000;
  std::string json =
      R"({"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"samples":[{"values":[1)";
  for (size_t i = 1; i < kCount; ++i) {
    json += ",1";
  }
  Batch batch;
  base::Warnings warnings;
  EXPECT_THAT(std::string(base::Message(DecodeJson(json, &batch, &warnings))),
              StartsWith(base::StrCat("not JSON at byte ", json.size())));
  json += "]}]}]}]}]}";
  EXPECT_EQ(Decode(json).values.size(), kCount);
}

}  // namespace
}  // namespace flarestack::codec::otlp
