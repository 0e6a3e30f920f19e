// SPDX-License-Identifier: Apache-2.0
#include "store/matcher.h"

#include <gtest/gtest.h>

#include "base/status.h"

namespace flarestack::store {
namespace {

std::string Again(std::string_view text) {
  const auto matchers = ParseSelector(text);
  return matchers.ok() ? SelectorText(*matchers) : std::string(base::Message(matchers.status()));
}

TEST(ParseSelector, AcceptsCommonForms) {
  EXPECT_EQ(Again(""), "{}");
  EXPECT_EQ(Again(" { } "), "{}");
  EXPECT_EQ(Again(R"({service.name="a",host.name=~"web.*"})"),
            R"({service.name="a",host.name=~"web.*"})");
  EXPECT_EQ(Again(R"( service_name != "a" , )"), R"({service_name!="a"})");
  EXPECT_EQ(Again(R"({"with space"!~`a|b`})"), R"({"with space"!~"a|b"})");
  EXPECT_EQ(Again(R"({a="\"\\"})"), R"({a="\"\\"})");
}

TEST(ParseSelector, ReportsTheErrorPosition) {
  EXPECT_EQ(Again("{a=b}"), "selector: expected a value in quotes at position 4 of \"{a=b}\"");
  EXPECT_EQ(Again("{a}"), "selector: expected one of = != =~ !~ at position 3 of \"{a}\"");
  EXPECT_EQ(Again("{a=\"b\""), "selector: expected '}' or ',' at position 7 of \"{a=\"b\"\"");
  EXPECT_EQ(Again("{a=\"b"),
            "selector: expected the quote that ends the value at position 6 of \"{a=\"b\"");
  EXPECT_EQ(Again("{} x"), "selector: expected the end at position 4 of \"{} x\"");
  EXPECT_FALSE(ParseSelector(R"({a=~"("})").ok());
}

TEST(Matcher, TreatsAMissingAttributeAsEmpty) {
  EXPECT_TRUE(Matcher::Make("a", Matcher::Kind::kNotEqual, "x")->Accepts(""));
  EXPECT_TRUE(Matcher::Make("a", Matcher::Kind::kMatches, ".*")->Accepts(""));
  EXPECT_FALSE(Matcher::Make("a", Matcher::Kind::kMatches, "x")->Accepts("xy"));
}

}  // namespace
}  // namespace flarestack::store
