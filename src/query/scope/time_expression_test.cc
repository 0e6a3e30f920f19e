// SPDX-License-Identifier: Apache-2.0
#include "query/scope/time_expression.h"

#include <gtest/gtest.h>

#include "base/status.h"

namespace flarestack::query {
namespace {

constexpr uint64_t kNow = 1'800'000'000'000'000'000;
constexpr uint64_t kSecond = 1'000'000'000;

TEST(ParseTime, AcceptsCommonForms) {
  const auto parse = [](std::string_view text) { return ParseTime(text, kNow).value_or(1); };
  EXPECT_EQ(parse("now"), kNow);
  EXPECT_EQ(parse("now-1h"), kNow - 3600 * kSecond);
  EXPECT_EQ(parse("now-1m30s"), 1u);
  EXPECT_EQ(parse("now-90s+5s"), kNow - 85 * kSecond);
  EXPECT_EQ(parse("now-250ms"), kNow - kSecond / 4);
  EXPECT_EQ(parse("1970-01-02"), 86400 * kSecond);
  EXPECT_EQ(parse("2026-03-01T12:30:00Z"), 1'772'368'200 * kSecond);
  EXPECT_EQ(parse("2026-03-01T14:30:00.5+02:00"), 1'772'368'200 * kSecond + kSecond / 2);
  EXPECT_EQ(parse("1772368200"), 1'772'368'200 * kSecond);
  EXPECT_EQ(parse("1772368200.25"), 1'772'368'200 * kSecond + kSecond / 4);
  EXPECT_EQ(parse("1772368200123"), 1'772'368'200'123'000'000u);
  EXPECT_EQ(parse("1772368200123456"), 1'772'368'200'123'456'000u);
  EXPECT_EQ(parse("1772368200123456789"), 1'772'368'200'123'456'789u);
}

TEST(ParseTime, RejectsTheRest) {
  for (const std::string_view text :
       {"", "yesterday", "now-", "now-1", "now*1h", "12x", "2026-13-01", "-5", "now-1parsec"})
    EXPECT_FALSE(ParseTime(text, kNow).ok()) << text;
  EXPECT_EQ(base::Message(ParseTime("x", kNow).status()),
            "\"x\" is not a time; use now-1h, 2026-03-01T12:30:00Z or Unix time");
}

TEST(ParseDuration, AcceptsSums) {
  EXPECT_EQ(ParseDuration("7d").value_or(0), 7 * 86400 * kSecond);
  EXPECT_EQ(ParseDuration("1h30m").value_or(0), 5400 * kSecond);
  EXPECT_EQ(ParseDuration("1.5s").value_or(0), kSecond + kSecond / 2);
  for (const std::string_view text : {"", "5", "h", "1y", "5m!", "99999999999w"})
    EXPECT_FALSE(ParseDuration(text).ok()) << text;
}

}  // namespace
}  // namespace flarestack::query
