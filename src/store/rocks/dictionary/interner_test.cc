// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/dictionary/interner.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/byte_reader.h"
#include "base/text/text.h"
#include "store/maintenance.h"
#include "store/rocks/dictionary/next_numbers.h"
#include "store/rocks/dictionary/record_run.h"
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

  std::unique_ptr<rocks::Database> OpenDatabase() const {
    auto database = rocks::Database::Open(
        {.directory = directory_, .memory = rocks::SharedMemory::Make(16 << 20)});
    EXPECT_TRUE(database.ok()) << database.status();
    return *std::move(database);
  }

  // Makes numbering continue at `next` in each table.
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

  // 2,000 stacks, each with a unique name.
  static absl::Status AppendMany(Store& store, uint64_t time) {
    std::vector<std::string> lines;
    for (int i = 0; i < 2'000; ++i)
      lines.push_back(base::StrCat("main;f", i, " 1"));
    return store.AppendProfiles(MakeBatch({{.time = time, .lines = lines}})).status();
  }

  static std::string Stored(Store& store) {
    const auto batch = store.SelectProfiles({});
    return batch.ok() ? FoldedText(*batch) : batch.status().ToString();
  }

  // Number of stored entries of the stack table.
  uint64_t StackCount() const {
    const auto stats = ReadDirectoryStats(directory_);
    EXPECT_TRUE(stats.ok()) << stats.status();
    return stats->store.stacks;
  }

  void ExpectSound() const {
    const auto report = VerifyDirectory(directory_);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->fault_count, 0u) << report->faults[0].place << report->faults[0].reason;
  }

  void MakeFormat2(uint32_t day);
  void DeleteKeys(rocks::Family family, const std::string& prefix);
  uint64_t CountKeys(rocks::Family family, const std::string& prefix) const;

  std::string directory_;
};

std::string Varint(uint64_t number) {
  std::string bytes;
  base::AppendVarint(number, &bytes);
  return bytes;
}

// Converts the stored data to the layout of format 2: one key per entry, with the day on which it
// was last used, and a different kind of content id.
void InternerTest::MakeFormat2(uint32_t day) {
  const auto database = OpenDatabase();
  rocks::Changes changes(*database);
  auto at = database->NewIterator(rocks::Family::kDictionary);
  for (at->SeekToFirst(); at->Valid(); at->Next()) {
    const auto table = static_cast<rocks::Table>(at->key()[0]);
    if (!rocks::IsKeptInRuns(table))
      continue;
    const auto first = rocks::DecodeDictionaryKey(table, rocks::ToView(at->key()));
    ASSERT_TRUE(first.has_value());
    rocks::Run run;
    ASSERT_TRUE(rocks::DecodeRun(*first, rocks::ToView(at->value()), &run).ok());
    for (uint32_t i = 0; i < run.records.size(); ++i) {
      changes.Put(rocks::Family::kDictionary, rocks::DictionaryKey(table, *first + i),
                  Varint(day) + std::string(run.records[i]));
      changes.Put(rocks::Family::kIds, rocks::IdKey(table, {.high = i, .low = *first}),
                  Varint(*first + i) + Varint(day));
    }
  }
  changes.DeleteRange(rocks::Family::kIds, "e", "f");
  changes.Delete(rocks::Family::kMeta, "indexed");
  changes.Put(rocks::Family::kMeta, "format", "2");
  ASSERT_TRUE(database->db().Write(rocksdb::WriteOptions(), &changes.batch()).ok());
}

void InternerTest::DeleteKeys(rocks::Family family, const std::string& prefix) {
  const auto database = OpenDatabase();
  rocks::Changes changes(*database);
  const auto at = database->NewIterator(family);
  for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next())
    changes.Delete(family, rocks::ToView(at->key()));
  ASSERT_FALSE(changes.empty());
  ASSERT_TRUE(database->db().Write(rocksdb::WriteOptions(), &changes.batch()).ok());
}

uint64_t InternerTest::CountKeys(rocks::Family family, const std::string& prefix) const {
  const auto database = OpenDatabase();
  uint64_t count = 0;
  const auto at = database->NewIterator(family);
  for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next())
    ++count;
  return count;
}

TEST_F(InternerTest, FindsItsContentAfterARestart) {
  for (int round = 0; round < 3; ++round) {
    const auto store = OpenStore();
    ASSERT_TRUE(Append(*store, "main;run;parse 1 thread=t1").ok());
    ASSERT_TRUE(Append(*store, "main;run 1").ok());
  }
  EXPECT_EQ(Stored(*OpenStore()), "main;run 3\nmain;run;parse 3\n");
  EXPECT_EQ(StackCount(), 2u);
  ExpectSound();
}

// The state after a kill: the entries are stored, but their ids were still in memory.
TEST_F(InternerTest, RecreatesIdsLostByAKill) {
  { ASSERT_TRUE(Append(*OpenStore(), "main;first 1").ok()); }
  std::string indexed;
  { indexed = *OpenDatabase()->Get(rocks::Family::kMeta, "indexed").value(); }
  const uint64_t ids_before = CountKeys(rocks::Family::kIds, "e");
  { ASSERT_TRUE(Append(*OpenStore(), "main;second;third 1").ok()); }
  const uint64_t ids = CountKeys(rocks::Family::kIds, "e");
  EXPECT_GT(ids, ids_before);
  {
    const auto database = OpenDatabase();
    rocks::Changes changes(*database);
    changes.DeleteRange(rocks::Family::kIds, "e", "f");
    changes.Put(rocks::Family::kMeta, "indexed", indexed);
    ASSERT_TRUE(database->db().Write(rocksdb::WriteOptions(), &changes.batch()).ok());
  }
  std::ofstream(directory_ + "/ids.new") << "half a table";
  { OpenStore(); }
  EXPECT_EQ(CountKeys(rocks::Family::kIds, "e"), ids - ids_before) << "only of the second message";
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/ids.new"));
  { ASSERT_TRUE(Append(*OpenStore(), "main;second;third 1").ok()); }
  EXPECT_EQ(Stored(*OpenStore()), "main;first 1\nmain;second;third 2\n");
  ExpectSound();
}

TEST_F(InternerTest, WritesManyIdsAsATable) {
  for (int round = 0; round < 2; ++round)
    ASSERT_TRUE(AppendMany(*OpenStore(), kStart).ok());
  EXPECT_EQ(StackCount(), 2'000u);
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/ids.new"));
  const auto database = OpenDatabase();
  EXPECT_GT(database->TableBytes(rocks::Family::kIds), 6'000u * 9);
}

TEST_F(InternerTest, CreatesUnwrittenIdsLater) {
  const auto store = OpenStore();
  std::filesystem::create_directories(directory_ + "/ids.new/in_the_way");
  ASSERT_TRUE(AppendMany(*store, kStart).ok());
  const uint64_t later = kStart + 10 * rocks::kNanosPerHour;  // a new stamp, so memory is forgotten
  ASSERT_TRUE(store->AppendProfiles(MakeBatch({{.time = later, .lines = {"main 1"}}})).ok());
  std::filesystem::remove_all(directory_ + "/ids.new");
  ASSERT_TRUE(store->Maintain(later).ok());
  ASSERT_TRUE(AppendMany(*store, later).ok());
  EXPECT_EQ(store->Stats()->stacks, 2'001u);
}

TEST_F(InternerTest, ContentWithDroppedEntriesGetsNewNumbers) {
  { ASSERT_TRUE(Append(*OpenStore(), "main;run 1").ok()); }
  DeleteKeys(rocks::Family::kDictionary, "l");  // locations: the stack still refers to them
  const auto store = OpenStore();
  ASSERT_TRUE(
      store->AppendProfiles(MakeBatch({{.time = 2 * kStart, .lines = {"main;run 1"}}})).ok());
  const auto later = store->SelectProfiles({.range = {.from = 2 * kStart, .to = 3 * kStart}});
  ASSERT_TRUE(later.ok()) << later.status();
  EXPECT_EQ(FoldedText(*later), "main;run 1\n");
}

// Two records may share a hash, or a lost write may leave a stale id.
TEST_F(InternerTest, IgnoresAnIdOfAnotherRecord) {
  { ASSERT_TRUE(Append(*OpenStore(), "main;run 1").ok()); }
  {
    const auto database = OpenDatabase();
    rocks::Changes changes(*database);
    for (const std::string_view name : {"parse", "draw"}) {
      const rocks::EntryIdKey key =
          rocks::EncodeEntryId(rocks::EntryId(rocks::Table::kString, name));
      changes.Put(
          rocks::Family::kIds, {key.data(), key.size()},
          rocks::EncodeStamped({.number = name == "draw" ? 1u : 4'000'000u, .stamp = 500'000}));
    }
    ASSERT_TRUE(database->db().Write(rocksdb::WriteOptions(), &changes.batch()).ok());
  }
  { ASSERT_TRUE(Append(*OpenStore(), "main;parse;draw 1").ok()); }
  EXPECT_EQ(Stored(*OpenStore()), "main;parse;draw 1\nmain;run 1\n");
}

TEST_F(InternerTest, ContentWithoutIdsGetsNewNumbers) {
  { ASSERT_TRUE(Append(*OpenStore(), "main;run 1").ok()); }
  DeleteKeys(rocks::Family::kIds, "e");
  { ASSERT_TRUE(Append(*OpenStore(), "main;run 1").ok()); }
  EXPECT_EQ(StackCount(), 2u);
  EXPECT_EQ(Stored(*OpenStore()), "main;run 2\n");
}

TEST_F(InternerTest, ContinuesADirectoryOfFormat2) {
  { ASSERT_TRUE(Append(*OpenStore(), "main;run;parse 1 thread=t1").ok()); }
  MakeFormat2(/*day=*/500'000 / 24);
  {
    const auto store = OpenStore();
    EXPECT_EQ(Stored(*store), "main;run;parse 1\n");
    ASSERT_TRUE(Append(*store, "main;run;parse 1 thread=t1").ok());
    ASSERT_TRUE(Append(*store, "main;run;other 1").ok());
    EXPECT_EQ(Stored(*store), "main;run;other 1\nmain;run;parse 2\n");
  }
  ExpectSound();
  EXPECT_EQ(StackCount(), 2u) << "known entries keep their numbers";
  EXPECT_EQ(CountKeys(rocks::Family::kIds, "k"), 0u) << "ids of format 2 are gone";
  const auto database = OpenDatabase();
  EXPECT_EQ(*database->Get(rocks::Family::kMeta, "format"), "3");
}

TEST_F(InternerTest, RejectsNewContentWhenOutOfNumbers) {
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
    // Numbers are assigned up to and including the last one.
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

TEST_F(InternerTest, RejectsANewSeriesWhenOutOfNumbers) {
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
