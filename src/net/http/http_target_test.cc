// SPDX-License-Identifier: Apache-2.0
#include "net/http/http_target.h"

#include <gtest/gtest.h>

namespace flarestack::net {
namespace {

TEST(HttpTargetTest, DecodesPathAndQuery) {
  const auto target = ParseTarget("/a%20b/%c3%a4?x=1&y=a%2Bb+c&empty=&flag&&x=2");
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->path, "/a b/ä");
  EXPECT_EQ(target->query.Find("x"), "1");
  EXPECT_EQ(target->query.FindAll("x").size(), 2u);
  EXPECT_EQ(target->query.Find("y"), "a+b c");
  EXPECT_EQ(target->query.Find("empty"), "");
  EXPECT_EQ(target->query.Find("flag"), "");
  EXPECT_EQ(target->query.Find("none"), std::nullopt);
}

TEST(HttpTargetTest, ParsesAbsoluteAndAsteriskForms) {
  EXPECT_EQ(ParseTarget("http://host:1/p?q=1")->path, "/p");
  EXPECT_EQ(ParseTarget("HTTP://host")->path, "/");
  EXPECT_EQ(ParseTarget("https://host?q=1")->query.Find("q"), "1");
  EXPECT_EQ(ParseTarget("*")->path, "*");
}

TEST(HttpTargetTest, RejectsBrokenTargets) {
  for (const char* text : {"a", "/%", "/%1", "/%zz", "/a%00b", "/a%0ab", "ftp://x/"})
    EXPECT_FALSE(ParseTarget(text).ok()) << text;
}

TEST(HttpTargetTest, KeepsABrokenEscapeInTheQueryAsText) {
  EXPECT_EQ(ParseTarget("/?a=100%")->query.Find("a"), "100%");
}

TEST(HttpTargetTest, LimitsTheNumberOfParameters) {
  std::string text = "/?";
  for (int i = 0; i < 1000; ++i)
    text += "a&";
  EXPECT_TRUE(ParseTarget(text).ok());
  EXPECT_FALSE(ParseTarget(text + "b").ok());
}

TEST(HttpTargetTest, EncodedTextDecodesToItself) {
  std::string all;
  for (int i = 0; i < 256; ++i)
    all.push_back(static_cast<char>(i));
  EXPECT_EQ(PercentDecode(PercentEncode(all)), all);
}

}  // namespace
}  // namespace flarestack::net
