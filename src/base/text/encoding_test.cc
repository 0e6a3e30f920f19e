// SPDX-License-Identifier: Apache-2.0
#include "base/text/encoding.h"

#include <gtest/gtest.h>

namespace flarestack::base {
namespace {

using namespace std::string_view_literals;

std::string Json(std::string_view text) {
  std::string out;
  AppendJsonString(text, &out);
  return out;
}

TEST(EncodingTest, WritesLowerCaseHexAndReadsBothCases) {
  EXPECT_EQ(HexEncode("\x00\x7f\xff"sv), "007fff");
  EXPECT_EQ(HexDecode("007FfF"), "\x00\x7f\xff"sv);
  EXPECT_EQ(HexDecode(""), "");
  EXPECT_EQ(HexDecode("abc"), std::nullopt);
  EXPECT_EQ(HexDecode("0g"), std::nullopt);
  EXPECT_EQ(HexDecode("0x"), std::nullopt);
}

TEST(EncodingTest, ReadsBothBase64AlphabetsWithAndWithoutPadding) {
  EXPECT_EQ(Base64Encode("\xfb\xff\xfe"), "+//+");
  EXPECT_EQ(Base64Encode("a"), "YQ==");
  for (const char* text : {"+//+", "-__-"})
    EXPECT_EQ(Base64Decode(text), "\xfb\xff\xfe") << text;
  for (const char* text : {"YQ==", "YQ"})
    EXPECT_EQ(Base64Decode(text), "a") << text;
  EXPECT_EQ(Base64Decode(""), "");
  for (const char* text : {"Y", "Y*==", "YQ==YQ=="})
    EXPECT_EQ(Base64Decode(text), std::nullopt) << text;
}

TEST(EncodingTest, Utf8ValidityFollowsTheUnicodeTable) {
  for (const std::string_view valid : {""sv, "a"sv, "\0"sv, "ü"sv, "€"sv, "\xf0\x9f\x94\xa5"sv,
                                       "\xf4\x8f\xbf\xbf"sv, "\xed\x9f\xbf"sv, "\xee\x80\x80"sv}) {
    EXPECT_TRUE(IsValidUtf8(valid)) << HexEncode(valid);
    EXPECT_EQ(ToValidUtf8(valid), valid);
  }
  for (const std::string_view invalid :
       {"\x80"sv, "\xc0\xaf"sv, "\xc3"sv, "\xe0\x80\x80"sv, "\xed\xa0\x80"sv, "\xe2\x82"sv,
        "\xf4\x90\x80\x80"sv, "\xf8\x88\x80\x80\x80"sv, "\xff"sv}) {
    EXPECT_FALSE(IsValidUtf8(invalid)) << HexEncode(invalid);
    EXPECT_TRUE(IsValidUtf8(ToValidUtf8(invalid))) << HexEncode(invalid);
  }
}

TEST(EncodingTest, RepairKeepsTheValidText) {
  EXPECT_EQ(ToValidUtf8("a\xff"
                        "b\xc3\xbc"),
            "a\xEF\xBF\xBD"
            "bü");
  EXPECT_EQ(ToValidUtf8("\xc3"), "\xEF\xBF\xBD");
}

TEST(EncodingTest, JsonStringsAreAlwaysValid) {
  EXPECT_EQ(Json("plain ü"), "\"plain ü\"");
  EXPECT_EQ(Json("\"\\\n\r\t"), R"("\"\\\n\r\t")");
  EXPECT_EQ(Json("\0\x01\x1f\x7f"sv), "\"\\u0000\\u0001\\u001f\x7f\"");
  EXPECT_EQ(Json("a\xff"), "\"a\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace flarestack::base
