// SPDX-License-Identifier: Apache-2.0
//
// Dropping an hour must reclaim all of its space, for every signal, immediately and permanently.
#include "store/rocks/hour_drop.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <ranges>

#include "base/text/text.h"
#include "store/rocks/database/keys.h"
#include "store/rocks/rocks_store.h"
#include "store/testing/event_text.h"

namespace flarestack::store::rocks {
namespace {

using store::testing::FoldedText;
using store::testing::MakeBatch;

constexpr uint64_t kStart = 500'000 * kNanosPerHour;
constexpr uint64_t kHours = 20;
constexpr int kItems = 200;

class HourDropTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = ::testing::TempDir() + "hours_XXXXXX";
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
    Open();
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(directory_);
  }
  void Open() {
    store_.reset();
    auto opened = OpenRocksStore({.directory = directory_, .sync_each_commit = false});
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
  }

  static uint64_t TimeOf(uint64_t hour, int item) {
    return kStart + hour * kNanosPerHour + static_cast<uint64_t>(item);
  }
  std::string RandomText() {
    std::string text;
    for (int i = 0; i < 16; ++i)
      base::StrAppend(&text, random_());
    return text;
  }
  std::string TraceId(uint64_t hour) const {
    return std::string(15, 't') + static_cast<char>(hour);
  }

  void AppendSpans(uint64_t hour) {
    model::TraceBatch batch;
    std::vector<std::string> texts;
    texts.reserve(3 * kItems);
    batch.resources.push_back({.scopes = {.begin = 0, .count = 1}});
    batch.scopes.push_back({.items = {.begin = 0, .count = kItems}});
    for (int i = 0; i < kItems; ++i) {
      model::Span span;
      span.trace_id = texts.emplace_back(TraceId(hour));
      span.span_id = texts.emplace_back(base::StrCat(1'000'0000 + i));
      span.name = texts.emplace_back(RandomText());
      span.start_time_unix_nano = TimeOf(hour, i);
      span.end_time_unix_nano = span.start_time_unix_nano + 1;
      batch.spans.push_back(span);
    }
    ASSERT_TRUE(store_->AppendTraces(batch).ok());
  }
  void AppendLogs(uint64_t hour) {
    model::LogBatch batch;
    std::vector<std::string> texts;
    texts.reserve(2 * kItems);
    batch.resources.push_back({.scopes = {.begin = 0, .count = 1}});
    batch.scopes.push_back({.items = {.begin = 0, .count = kItems}});
    for (int i = 0; i < kItems; ++i) {
      model::LogRecord record;
      record.trace_id = texts.emplace_back(TraceId(hour));
      record.event_name = texts.emplace_back(RandomText());
      record.time_unix_nano = TimeOf(hour, i);
      batch.log_records.push_back(record);
    }
    ASSERT_TRUE(store_->AppendLogs(batch).ok());
  }
  // With names that occur nowhere else.
  void AppendProfiles(uint64_t hour) {
    std::vector<std::string> lines;
    for (int i = 0; i < kItems; ++i)
      lines.push_back(base::StrCat("main;", RandomText(), " 1 @", TimeOf(hour, i)));
    ASSERT_TRUE(
        store_->AppendProfiles(MakeBatch({{.time = TimeOf(hour, 0), .lines = lines}})).ok());
  }

  // The fraction of disk usage left after dropping all hours except the last two.
  double LeftAfterDrop() {
    EXPECT_TRUE(store_->BytesByHour().ok());  // flushes everything to tables
    const uint64_t before = store_->Stats()->disk_bytes;
    EXPECT_TRUE(store_->DropBefore(SignalTimes::All(kStart + (kHours - 2) * kNanosPerHour)).ok());
    return static_cast<double>(store_->Stats()->disk_bytes) / static_cast<double>(before);
  }

  std::string directory_;
  std::unique_ptr<Store> store_;
  std::mt19937_64 random_{7};
};

TEST_F(HourDropTest, DroppedSpansFreeTheirSpaceAndStayDropped) {
  for (uint64_t hour = 0; hour < kHours; ++hour)
    AppendSpans(hour);
  EXPECT_LT(LeftAfterDrop(), 0.25);
  for (int round = 0; round < 2; ++round) {
    for (uint64_t hour = 0; hour < kHours; ++hour) {
      EXPECT_EQ(store_->SelectTrace({.trace_id = TraceId(hour)})->spans.size(),
                hour < kHours - 2 ? 0u : kItems)
          << hour << " round " << round;
    }
    Open();
  }
}

TEST_F(HourDropTest, DroppedLogsFreeTheirSpaceAndStayDropped) {
  for (uint64_t hour = 0; hour < kHours; ++hour)
    AppendLogs(hour);
  EXPECT_LT(LeftAfterDrop(), 0.25);
  for (int round = 0; round < 2; ++round) {
    for (uint64_t hour = 0; hour < kHours; ++hour) {
      EXPECT_EQ(store_->SelectLogs({.trace_id = TraceId(hour)})->log_records.size(),
                hour < kHours - 2 ? 0u : kItems)
          << hour << " round " << round;
    }
    Open();
  }
}

// Dictionary entries outlive the last hour that uses them by a few hours.
TEST_F(HourDropTest, UnusedNamesFreeTheirSpace) {
  for (uint64_t hour = 0; hour < kHours; ++hour)
    AppendProfiles(hour);
  EXPECT_LT(LeftAfterDrop(), 0.6);
  const std::string kept = FoldedText(*store_->SelectProfiles({}));
  EXPECT_EQ(std::ranges::count(kept, '\n'), 2 * kItems);
  Open();
  EXPECT_EQ(FoldedText(*store_->SelectProfiles({})), kept);
}

TEST_F(HourDropTest, UsedEntriesKeepTheirNames) {
  for (uint64_t hour = 0; hour < 3 * kHours; ++hour) {
    const auto batch = MakeBatch(
        {{.time = TimeOf(hour, 0), .lines = {base::StrCat("main;busy 1 @", TimeOf(hour, 0))}}});
    ASSERT_TRUE(store_->AppendProfiles(batch).ok());
    ASSERT_TRUE(store_->DropBefore(SignalTimes::All(TimeOf(hour, 0))).ok());
    ASSERT_EQ(FoldedText(*store_->SelectProfiles({})), "main;busy 1\n") << hour;
  }
  // Late data uses entries whose hours were dropped long ago.
  const auto late = MakeBatch({{.time = TimeOf(1, 0), .lines = {"main;busy 1"}}});
  ASSERT_TRUE(store_->AppendProfiles(late).ok());
  EXPECT_EQ(FoldedText(*store_->SelectProfiles({})), "main;busy 2\n");
}

// They share a dictionary key, and the used entry keeps all of it alive.
TEST_F(HourDropTest, UsedEntryKeepsItsNameAmongUnusedOnes) {
  std::vector<std::string> lines;
  for (int i = 0; i < 100; ++i)
    lines.push_back(base::StrCat("main;f", i, " 1"));
  ASSERT_TRUE(store_->AppendProfiles(MakeBatch({{.time = TimeOf(0, 0), .lines = lines}})).ok());
  for (uint64_t hour = 1; hour < 3 * kHours; ++hour) {
    const auto batch = MakeBatch({{.time = TimeOf(hour, 0), .lines = {"main;f50 1"}}});
    ASSERT_TRUE(store_->AppendProfiles(batch).ok());
    ASSERT_TRUE(store_->DropBefore(SignalTimes::All(TimeOf(hour, 0))).ok());
    ASSERT_EQ(FoldedText(*store_->SelectProfiles({})), "main;f50 1\n") << hour;
  }
  EXPECT_EQ(store_->Stats()->stacks, 100u) << "the used entry keeps its number";
  // The others are no longer visible, and can be added again.
  const auto again = MakeBatch({{.time = TimeOf(3 * kHours, 0), .lines = lines}});
  ASSERT_TRUE(store_->AppendProfiles(again).ok());
  ASSERT_TRUE(store_->DropBefore(SignalTimes::All(TimeOf(3 * kHours, 0))).ok());
  EXPECT_EQ(std::ranges::count(FoldedText(*store_->SelectProfiles({})), '\n'), 100);
}

TEST_F(HourDropTest, SizesOfHoursAreApproximatelyCorrect) {
  for (uint64_t hour = 0; hour < 4; ++hour) {
    for (uint64_t i = 0; i < (hour == 2 ? 9u : 3u); ++i) {
      AppendLogs(hour);
      AppendSpans(hour);
    }
  }
  const auto hours = store_->BytesByHour();
  ASSERT_TRUE(hours.ok());
  ASSERT_EQ(hours->size(), 4u);
  EXPECT_EQ((*hours)[2].begin_nanos, TimeOf(2, 0));
  const double ratio =
      static_cast<double>((*hours)[2].bytes) / static_cast<double>((*hours)[1].bytes);
  EXPECT_GT(ratio, 1.5);
  EXPECT_LT(ratio, 6.0);
}

}  // namespace
}  // namespace flarestack::store::rocks
