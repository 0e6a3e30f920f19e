// SPDX-License-Identifier: Apache-2.0
#include "base/event_log.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/text/text.h"

namespace flarestack::base {
namespace {

class EventLogTest : public ::testing::Test {
 protected:
  EventLog Make(LogFormat format, LogLevel level = LogLevel::kInfo) {
    return EventLog({.format = format,
                     .level_min = level,
                     .write = [this](std::string_view line) { lines_ += line; },
                     .now_nanos = [this] { return now_; }});
  }

  uint64_t now_ = uint64_t{1'772'368'200} * kNanosPerSecond + 5'000'000;
  std::string lines_;
};

TEST_F(EventLogTest, WritesTextLines) {
  EventLog log = Make(LogFormat::kText);
  log.Write(LogLevel::kWarn, "auth.refused", {{"name", "anna"}, {"reason", "no \"role\"\nat all"}});
  EXPECT_EQ(lines_,
            "2026-03-01T12:30:00.005Z warn auth.refused name=anna reason=\"no \\\"role\\\"\\nat "
            "all\"\n");
}

TEST_F(EventLogTest, WritesJsonLines) {
  EventLog log = Make(LogFormat::kJson);
  log.Write(LogLevel::kInfo, "server.start", {{"data_dir", "/srv/a b"}});
  EXPECT_EQ(lines_,
            "{\"time\":\"2026-03-01T12:30:00.005Z\",\"level\":\"info\",\"event\":\"server.start\","
            "\"data_dir\":\"/srv/a b\"}\n");
}

TEST_F(EventLogTest, SkipsEventsBelowItsLevel) {
  EventLog log = Make(LogFormat::kText, LogLevel::kError);
  log.Write(LogLevel::kWarn, "a");
  EXPECT_EQ(lines_, "");
  log.Write(LogLevel::kError, "b");
  EXPECT_NE(lines_.find("error b"), std::string::npos);
  EXPECT_EQ(ParseLogLevel("error"), LogLevel::kError);
  EXPECT_EQ(ParseLogLevel("loud"), std::nullopt);
}

TEST_F(EventLogTest, CountsRepeatedEvents) {
  EventLog log = Make(LogFormat::kText);
  for (int i = 0; i < 5; ++i)
    log.Write(LogLevel::kWarn, "a", {{"name", "x"}});
  log.Write(LogLevel::kWarn, "a", {{"name", "y"}});  // a different event
  EXPECT_EQ(std::count(lines_.begin(), lines_.end(), '\n'), 2);
  lines_.clear();
  now_ += 10 * kNanosPerSecond;
  log.Write(LogLevel::kWarn, "a", {{"name", "x"}});
  EXPECT_NE(lines_.find("name=x repeated=4\n"), std::string::npos);
}

TEST_F(EventLogTest, LimitsItsMemoryAndTruncatesLongValues) {
  EventLog log = Make(LogFormat::kText);
  for (int i = 0; i < 5000; ++i)
    log.Write(LogLevel::kInfo, "a", {{"name", StrCat(i)}});
  lines_.clear();
  log.Write(LogLevel::kInfo, "long", {{"value", std::string(100'000, 'x')}});
  EXPECT_LT(lines_.size(), 2000u);
}

}  // namespace
}  // namespace flarestack::base
