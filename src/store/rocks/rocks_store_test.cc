// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/rocks_store.h"

#include "store/rocks/database/database.h"
#include "store/rocks/database/keys.h"
#include "store/rocks/profiles/rollups.h"
#include "store/testing/conformance.h"
#include "store/testing/gauge_conformance.h"
#include "store/testing/signal_conformance.h"

namespace flarestack::store::testing {
namespace {

absl::StatusOr<std::unique_ptr<Store>> OpenForTest(const std::string& directory) {
  return OpenRocksStore({.directory = directory, .memory_bytes_max = 64 << 20});
}

INSTANTIATE_TEST_SUITE_P(Rocks, StoreConformance, ::testing::Values(&OpenForTest));
INSTANTIATE_TEST_SUITE_P(Rocks, GaugeConformance, ::testing::Values(&OpenForTest));
INSTANTIATE_TEST_SUITE_P(Rocks, SignalConformance, ::testing::Values(&OpenForTest));

TEST(RocksStore, RejectsNewSeriesAtTheLimit) {
  std::string directory = ::testing::TempDir() + "series_XXXXXX";
  mkdtemp(directory.data());
  {
    auto store = OpenRocksStore({.directory = directory, .series_max = 2});
    ASSERT_TRUE(store.ok()) << store.status();
    const auto appended = (*store)->AppendProfiles(MakeBatch({{.service = "a", .lines = {"f 1"}},
                                                              {.service = "b", .lines = {"f 1"}},
                                                              {.service = "c", .lines = {"f 1"}},
                                                              {.service = "a", .lines = {"g 1"}}}));
    ASSERT_TRUE(appended.ok());
    EXPECT_EQ(appended->rejected_profiles, 1u);
    EXPECT_EQ(appended->samples, 3u);
    EXPECT_EQ(FoldedText(*(*store)->SelectProfiles({})), "f 2\ng 1\n");
  }
  std::filesystem::remove_all(directory);
}

// The current hour is read in pieces, older hours from joined chunks.
TEST(RocksStore, ReturnsTheSameBeforeAndAfterJoiningChunks) {
  std::string directory = ::testing::TempDir() + "joined_XXXXXX";
  mkdtemp(directory.data());
  {
    auto store = OpenRocksStore({.directory = directory, .sync_each_commit = false});
    ASSERT_TRUE(store.ok()) << store.status();
    const uint64_t old = kStart - 2 * kHour;
    ASSERT_TRUE((*store)->AppendProfiles(MakeBatch({{.time = old, .lines = {"old 1"}}})).ok());
    for (uint64_t i = 0; i < 6; ++i) {
      // Two appends share a profile header, which counts as one profile.
      const uint64_t time = kStart + i / 2 * 1'000;
      ASSERT_TRUE((*store)
                      ->AppendProfiles(MakeBatch(
                          {{.time = time, .lines = {base::StrCat("main;f", i, " @", time + i)}}}))
                      .ok());
    }
    const auto response = [&](TimeRange range) {
      const auto batch = (*store)->SelectProfiles({.range = range, .detail = Detail::kSums});
      std::string text = FoldedText(*batch);
      for (const model::Profile& profile : batch->profiles)
        text += base::StrCat(profile.duration_nano, " ns\n");
      return text;
    };
    const TimeRange all = {.from = kStart, .to = kStart + kHour / 2};
    const TimeRange some = {.from = kStart + 1'000, .to = kStart + 2'004};
    const std::string before = response(all) + response(some);
    // This rewrites the table with the old hour and joins the chunks in it.
    ASSERT_TRUE((*store)->DropBefore(SignalTimes::All(kStart)).ok());
    EXPECT_EQ(response(all) + response(some), before);
  }
  std::filesystem::remove_all(directory);
}

TEST(RocksStore, DropsTheOldestNoteAtTheLimit) {
  std::string directory = ::testing::TempDir() + "notes_XXXXXX";
  mkdtemp(directory.data());
  for (int round = 0; round < 3; ++round) {
    auto store = OpenRocksStore({.directory = directory, .notes_max = 3});
    ASSERT_TRUE(store.ok()) << store.status();
    for (int i = 0; i < 3; ++i)
      ASSERT_TRUE((*store)->AddNote(base::StrCat("k", round * 3 + i), "text").ok());
    for (int i = 0; i < round * 3 + 3; ++i)
      EXPECT_EQ((*store)->FindNote(base::StrCat("k", i))->has_value(), i >= round * 3) << i;
  }
  std::filesystem::remove_all(directory);
}

// Hours of the series that have a roll-up by minute.
std::vector<uint32_t> HoursWithMinutes(const std::string& directory) {
  const auto database = rocks::Database::Open(
      {.directory = directory, .memory = rocks::SharedMemory::Make(16 << 20), .read_only = true});
  std::vector<uint32_t> hours;
  const auto at = (*database)->NewIterator(rocks::Family::kRollups);
  for (at->SeekToFirst(); at->Valid(); at->Next()) {
    const auto key = rocks::RollupKey::Decode(rocks::ToView(at->key()));
    if (key->level == rocks::RollupLevel::kMinutes)
      hours.push_back(key->period);
  }
  return hours;
}

TEST(RocksStore, RollsUpMinutesIfThatIsSmaller) {
  std::string directory = ::testing::TempDir() + "minutes_XXXXXX";
  mkdtemp(directory.data());
  {
    auto store = OpenRocksStore({.directory = directory, .sync_each_commit = false});
    ASSERT_TRUE(store.ok()) << store.status();
    std::vector<std::string> few;
    std::vector<std::string> many;
    for (uint64_t i = 0; i < 600; ++i) {
      few.push_back(base::StrCat("main;f", i, " @", kStart + i));
      many.push_back(base::StrCat("main;f", i % 2, " @", kStart + kHour + i * 6'000'000'000));
    }
    ASSERT_TRUE((*store)
                    ->AppendProfiles(MakeBatch(
                        {{.time = kStart, .lines = few}, {.time = kStart + kHour, .lines = many}}))
                    .ok());
    ASSERT_TRUE((*store)->Maintain(kStart + 5 * kHour).ok());
  }
  EXPECT_EQ(HoursWithMinutes(directory), std::vector<uint32_t>{rocks::HourOf(kStart) + 1});
  {
    auto store = OpenRocksStore({.directory = directory, .sync_each_commit = false});
    ASSERT_TRUE((*store)->DropBefore(SignalTimes::All(kStart + 2 * kHour)).ok());
  }
  EXPECT_TRUE(HoursWithMinutes(directory).empty());
  std::filesystem::remove_all(directory);
}

// One sample of a service, in the hour that starts at kStart.
absl::Status AppendOne(Store& store, const std::string& service, std::string_view function) {
  return store
      .AppendProfiles(MakeBatch({{.service = service,
                                  .time = kStart,
                                  .lines = {base::StrCat("main;", function, " 1 @", kStart + 1)}}}))
      .status();
}

// Computed from roll-ups, if there are any.
std::string SumsOfTheHour(Store& store) {
  const auto batch = store.SelectProfiles(
      {.range = {.from = kStart, .to = kStart + kHour}, .detail = Detail::kSums});
  return batch.ok() ? FoldedText(*batch) : batch.status().ToString();
}

// The state left by a process killed while rolling up an hour.
TEST(RocksStore, PartiallyRolledUpHourAcceptsLateSamples) {
  std::string directory = ::testing::TempDir() + "part_XXXXXX";
  mkdtemp(directory.data());
  {
    auto store = OpenForTest(directory);
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_TRUE(AppendOne(**store, "a", "early").ok());
    ASSERT_TRUE(AppendOne(**store, "b", "other").ok());
  }
  {
    const auto database = rocks::Database::Open(
        {.directory = directory, .memory = rocks::SharedMemory::Make(16 << 20)});
    ASSERT_TRUE(database.ok()) << database.status();
    int left = 1;
    const absl::Status status =
        rocks::BuildRollups(**database, rocks::HourOf(kStart),
                            {.enter_hour = [](uint32_t) {},
                             .write =
                                 [&](const std::function<absl::Status()>& task) {
                                   return left-- > 0 ? task() : absl::CancelledError("killed");
                                 }});
    EXPECT_TRUE(absl::IsCancelled(status)) << status;
  }
  {
    auto store = OpenForTest(directory);
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_TRUE(AppendOne(**store, "a", "late").ok());
    const std::string all = "main;early 1\nmain;late 1\nmain;other 1\n";
    EXPECT_EQ(SumsOfTheHour(**store), all);
    ASSERT_TRUE((*store)->Maintain(kStart + 5 * kHour).ok());
    EXPECT_EQ(SumsOfTheHour(**store), all);
  }
  std::filesystem::remove_all(directory);
}

// The late samples invalidated all existing roll-ups.
TEST(RocksStore, HourAcceptsLateSamplesAfterItsRollupsReturn) {
  std::string directory = ::testing::TempDir() + "back_XXXXXX";
  mkdtemp(directory.data());
  {
    auto store = OpenForTest(directory);
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_TRUE(AppendOne(**store, "a", "early").ok());
    ASSERT_TRUE((*store)->Maintain(kStart + 5 * kHour).ok());
    ASSERT_TRUE(AppendOne(**store, "a", "late").ok());
  }
  {
    auto store = OpenForTest(directory);
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_TRUE((*store)->Maintain(kStart + 5 * kHour).ok());
    ASSERT_TRUE(AppendOne(**store, "a", "later").ok());
    EXPECT_EQ(SumsOfTheHour(**store), "main;early 1\nmain;late 1\nmain;later 1\n");
  }
  std::filesystem::remove_all(directory);
}

TEST(RocksStore, FreesDiskSpace) {
  std::string directory = ::testing::TempDir() + "place_XXXXXX";
  mkdtemp(directory.data());
  {
    auto store = OpenRocksStore({.directory = directory, .sync_each_commit = false});
    ASSERT_TRUE(store.ok()) << store.status();
    std::mt19937_64 random(3);
    for (uint64_t hour = 0; hour < 4; ++hour) {
      std::vector<std::string> lines;
      for (uint64_t i = 0; i < 20'000; ++i)
        lines.push_back(base::StrCat("f @", kStart + hour * kHour + random() % kHour));
      ASSERT_TRUE((*store)
                      ->AppendProfiles(MakeBatch({{.time = kStart + hour * kHour, .lines = lines}}))
                      .ok());
    }
    ASSERT_TRUE((*store)->BytesByHour().ok());  // flushes everything to tables
    const uint64_t before = (*store)->Stats()->disk_bytes;
    ASSERT_TRUE((*store)->DropBefore(SignalTimes::All(kStart + 3 * kHour)).ok());
    EXPECT_LT((*store)->Stats()->disk_bytes, before / 2);
  }
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace flarestack::store::testing
