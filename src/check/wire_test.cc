// SPDX-License-Identifier: Apache-2.0
//
// Tests faults that only the bytes show.
#include <gtest/gtest.h>

#include <string>

#include "base/text/text.h"
#include "check/check.h"
#include "check/checks.h"
#include "check/testing/clean_batch.h"
#include "check/wire_schema.h"

namespace flarestack::check {
namespace {

using namespace std::literals;

// A bytes field, short enough for a one-byte length.
std::string Field(int number, std::string_view content) {
  return std::string(1, static_cast<char>(number << 3 | 2)) +
         std::string(1, static_cast<char>(content.size())) + std::string(content);
}

std::string Found(std::string_view bytes) {
  Collector findings(0);
  CheckWire(bytes, Path(), &findings);
  const Report report = std::move(findings).Finish();
  std::string text;
  for (const RuleFindings& rule : report.rules) {
    for (const Finding& finding : rule.kept)
      base::StrAppend(&text, Info(rule.rule).id, " ", finding.path, "\n");
  }
  return text;
}

TEST(WireTest, CleanMessageHasNoFindings) {
  EXPECT_EQ(Found(testing::Encode(testing::CleanBatch())), "");
}

TEST(WireTest, ReportsUnknownFieldsWithTheirMessage) {
  EXPECT_EQ(Found(Field(2, Field(3, "\x08\x00\x28\x07"sv))),
            "unknown-field dictionary.function_table[0]\n");
  EXPECT_EQ(Found(Field(9, "x")), "unknown-field \n");
}

TEST(WireTest, ReportsAWrongWireType) {
  EXPECT_EQ(Found(Field(2, Field(3, Field(1, "x")))),
            "wire-type dictionary.function_table[0].name_strindex\n");
  EXPECT_EQ(Found(Field(2, "\x28\x01")), "wire-type dictionary.string_table[0]\n");
}

TEST(WireTest, AcceptsPackedAndUnpackedLists) {
  EXPECT_EQ(Found(Field(2, Field(7, Field(1, "\x01\x02")))), "");
  EXPECT_EQ(Found(Field(2, Field(7, "\x08\x01\x08\x02"))), "");
}

TEST(WireTest, ReservedFieldNumberHasItsOwnRule) {
  const std::string reserved = "\xc2\x3e\x01x";  // field 1000
  EXPECT_EQ(Found(Field(1, reserved)), "reserved-field resource_profiles[0]\n");
  EXPECT_EQ(Found(Field(2, reserved)), "unknown-field dictionary\n");
}

TEST(WireTest, ReportsRepeatedSingularFields) {
  EXPECT_EQ(Found(Field(2, "") + Field(2, "")), "repeated-singular dictionary\n");
  EXPECT_EQ(Found(Field(1, "") + Field(1, "")), "");
  EXPECT_EQ(Found(Field(2, Field(1, "\x08\x01\x08\x02"))),
            "repeated-singular dictionary.mapping_table[0].memory_start\n");
}

TEST(WireTest, ReportsAValueWithTwoMembers) {
  const std::string value = Field(2, "\x10\x01\x18\x02");  // a bool and an integer
  EXPECT_EQ(Found(Field(2, Field(6, value))),
            "repeated-singular dictionary.attribute_table[0].value.int_value\n");
}

TEST(WireTest, FindsOverlongNumbersEverywhere) {
  const std::string list = "\x01\x85\x00"s;
  EXPECT_EQ(Found(Field(2, Field(7, Field(1, list)))),
            "non-minimal-varint dictionary.stack_table[0].location_indices\n");
  EXPECT_EQ(Found(Field(2, Field(1, "\x08\x81\x00"sv))),
            "non-minimal-varint dictionary.mapping_table[0].memory_start\n");
  EXPECT_EQ(Found("\x12\x80\x00"sv), "non-minimal-varint dictionary\n");
  EXPECT_EQ(Found("\x92\x00\x00"sv), "non-minimal-varint \n");
  const std::string negative = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
  EXPECT_EQ(Found(Field(2, Field(7, Field(1, negative)))), "");
}

TEST(WireTest, TextMustBeUtf8ButBytesNeedNot) {
  EXPECT_EQ(Found(Field(2, Field(5, "") + Field(5, "gr\xfcn"))),
            "invalid-utf8 dictionary.string_table[1]\n");
  EXPECT_EQ(Found(Field(2, Field(5, "gr\xc3\xbcn"))), "");
  EXPECT_EQ(Found(Field(2, Field(4, Field(1, "\xff\xff")))), "");
}

TEST(WireTest, BrokenBytesEndTheWalk) {
  EXPECT_EQ(Found("\x12\x7f"sv), "");
  EXPECT_EQ(Found(Field(2, "\x0a\x05\x08")), "");
}

}  // namespace
}  // namespace flarestack::check
