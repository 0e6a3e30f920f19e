// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/interner.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/byte_io.h"
#include "base/text.h"
#include "store/rocks/rocks_store.h"
#include "store/testing/event_text.h"

namespace flarestack::store::testing {
namespace {

constexpr uint64_t kStart = uint64_t{500'000} * 3'600'000'000'000;
constexpr int kTables = 10;

class InternerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = ::testing::TempDir() + "interner_XXXXXX";
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::unique_ptr<Store> OpenStore() {
    auto store = OpenRocksStore(
        {.directory = directory_, .sync_each_commit = false, .series_max = UINT64_MAX});
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }

  std::unique_ptr<rocks::Database> OpenDatabase() {
    auto database = rocks::Database::Open(
        {.directory = directory_, .memory = rocks::SharedMemory::Make(16 << 20)});
    EXPECT_TRUE(database.ok()) << database.status();
    return *std::move(database);
  }

  // Numbering goes on at `next` in each table.
  void SetNextNumbers(uint32_t next) {
    const auto database = OpenDatabase();
    std::string bytes;
    for (int i = 0; i < kTables; ++i)
      base::AppendVarint(next, &bytes);
    rocks::Changes changes(*database);
    changes.Put(rocks::Family::kMeta, "next", bytes);
    ASSERT_TRUE(database->db().Write(rocksdb::WriteOptions(), &changes.batch()).ok());
  }

  static absl::Status Append(Store& store, const std::string& line) {
    return store.AppendProfiles(MakeBatch({{.time = kStart, .lines = {line}}})).status();
  }

  static std::string Stored(Store& store) {
    const auto batch = store.SelectProfiles({});
    return batch.ok() ? FoldedText(*batch) : batch.status().ToString();
  }

  std::string directory_;
};

TEST_F(InternerTest, RefusesNewContentWhenItsNumbersAreUsedUp) {
  { ASSERT_TRUE(Append(*OpenStore(), "main;known 1").ok()); }
  SetNextNumbers(rocks::kNumberMax - 4);
  std::string expected = "main;known 1\n";
  {
    const auto store = OpenStore();
    int accepted = 0;
    absl::Status status;
    while (status.ok() && accepted < 10) {
      const std::string name = base::StrCat("new", accepted);
      status = Append(*store, base::StrCat("main;", name, " 1"));
      if (status.ok()) {
        ++accepted;
        expected += base::StrCat("main;", name, " 1\n");
      }
    }
    // Numbers up to and with the last one; then no more.
    EXPECT_EQ(accepted, 5);
    EXPECT_TRUE(absl::IsOutOfRange(status)) << status;
    EXPECT_EQ(Stored(*store), expected);
    EXPECT_TRUE(Append(*store, "main;known 1").ok());
    EXPECT_TRUE(absl::IsOutOfRange(Append(*store, "main;other 1")));
    expected.replace(0, expected.find('\n'), "main;known 2");
    EXPECT_EQ(Stored(*store), expected);
  }
  EXPECT_EQ(Stored(*OpenStore()), expected);
}

TEST_F(InternerTest, RefusesANewSeriesWhenItsNumbersAreUsedUp) {
  { ASSERT_TRUE(Append(*OpenStore(), "main 1").ok()); }
  SetNextNumbers(rocks::kNumberMax);
  const auto store = OpenStore();
  for (const uint64_t rejected : {0, 1}) {
    const auto appended = store->AppendProfiles(
        MakeBatch({{.service = base::StrCat("s", rejected), .time = kStart, .lines = {"main 1"}}}));
    ASSERT_TRUE(appended.ok()) << appended.status();
    EXPECT_EQ(appended->rejected_profiles, rejected);
  }
  EXPECT_EQ(Stored(*store), "main 2\n");
}

}  // namespace
}  // namespace flarestack::store::testing
