// SPDX-License-Identifier: Apache-2.0
//
// Opening a directory of format 2 keeps all its data.
#include "store/rocks/database/format_upgrade.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/byte_reader.h"
#include "base/text/text.h"
#include "store/maintenance.h"
#include "store/rocks/database/keys.h"
#include "store/rocks/rocks_store.h"
#include "store/testing/event_text.h"

namespace flarestack::store::rocks {
namespace {

using store::testing::FoldedText;
using store::testing::MakeBatch;

constexpr uint64_t kStart = 500'000 * kNanosPerHour;
const std::string kTraceId(16, 't');
const std::string kSpanId(8, 's');
const std::string kProfileId(16, 'p');

class FormatUpgradeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = ::testing::TempDir() + "format_XXXXXX";
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  absl::StatusOr<std::unique_ptr<Store>> OpenStore() {
    return OpenRocksStore({.directory = directory_, .sync_each_commit = false});
  }
  void Fill() {
    const auto store = OpenStore();
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_TRUE((*store)
                    ->AppendProfiles(MakeBatch({{.time = kStart,
                                                 .profile_id = kProfileId,
                                                 .lines = {base::StrCat("main;f 1 @", kStart)}}}))
                    .ok());
    model::TraceBatch traces;
    traces.resources.push_back({.scopes = {.begin = 0, .count = 1}});
    traces.scopes.push_back({.items = {.begin = 0, .count = 1}});
    model::Span span;
    span.trace_id = kTraceId;
    span.span_id = kSpanId;
    span.name = "GET /";
    span.start_time_unix_nano = kStart;
    span.end_time_unix_nano = kStart + 5;
    traces.spans.push_back(span);
    ASSERT_TRUE((*store)->AppendTraces(traces).ok());
    model::LogBatch logs;
    logs.resources.push_back({.scopes = {.begin = 0, .count = 1}});
    logs.scopes.push_back({.items = {.begin = 0, .count = 1}});
    model::LogRecord record;
    record.trace_id = kTraceId;
    record.span_id = kSpanId;
    record.time_unix_nano = kStart;
    logs.log_records.push_back(record);
    ASSERT_TRUE((*store)->AppendLogs(logs).ok());
  }

  // Gives the directory the families and keys of format 2.
  void MakeOld() {
    const auto database =
        Database::Open({.directory = directory_, .memory = SharedMemory::Make(8 << 20)});
    ASSERT_TRUE(database.ok()) << database.status();
    Move(**database, Family::kSpans, "spans", [](std::string_view key, std::string_view value) {
      return std::pair(std::string(key.substr(4)), std::string(value));
    });
    Move(**database, Family::kLogTraces, "log_traces", [](std::string_view key, std::string_view) {
      return std::pair(base::StrCat(key.substr(4, 24), *DecodeLogTrace(key)), std::string());
    });
    Move(**database, Family::kLinks, "links", [](std::string_view key, std::string_view) {
      return std::pair(base::StrCat(key.substr(4, 4), key.substr(0, 4), key.substr(8)),
                       std::string());
    });
    Move(**database, Family::kProfileIds, "profile_ids",
         [](std::string_view key, std::string_view) {
           return std::pair(std::string(key.substr(4)), std::string(key.substr(0, 4)));
         });
    ASSERT_TRUE((*database)->db().Put({}, (*database)->handle(Family::kMeta), "format", "2").ok());
  }
  template <typename Convert>
  static void Move(const Database& database, Family from, const std::string& to, Convert convert) {
    rocksdb::ColumnFamilyHandle* handle = nullptr;
    ASSERT_TRUE(database.db().CreateColumnFamily({}, to, &handle).ok());
    const auto at = database.NewIterator(from);
    for (at->SeekToFirst(); at->Valid(); at->Next()) {
      const auto [key, value] = convert(ToView(at->key()), ToView(at->value()));
      ASSERT_TRUE(database.db().Put({}, handle, key, value).ok());
      ASSERT_TRUE(database.db().Delete({}, database.handle(from), at->key()).ok());
    }
    database.db().DestroyColumnFamilyHandle(handle);
  }

  std::string directory_;
};

TEST_F(FormatUpgradeTest, KeepsEverythingOfFormat2) {
  Fill();
  MakeOld();
  for (int round = 0; round < 2; ++round) {
    const auto store = OpenStore();
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ((*store)->SelectTrace({.trace_id = kTraceId})->spans.size(), 1u);
    EXPECT_EQ((*store)->SelectSpans({})->spans.size(), 1u);
    EXPECT_EQ((*store)->SelectLogs({.trace_id = kTraceId, .span_id = kSpanId})->log_records.size(),
              1u);
    const auto again =
        (*store)->AppendProfiles(MakeBatch({{.time = kStart,
                                             .profile_id = kProfileId,
                                             .lines = {base::StrCat("main;f 1 @", kStart)}}}));
    EXPECT_EQ(again->duplicate_profiles, 1u);
    EXPECT_EQ(FoldedText(*(*store)->SelectProfiles({})), "main;f 1\n");
  }
  EXPECT_TRUE(RetiredFamilies(directory_).empty());
  EXPECT_EQ(VerifyDirectory(directory_)->fault_count, 0u);
}

TEST_F(FormatUpgradeTest, ReadersRequireTheUpgrade) {
  Fill();
  MakeOld();
  const auto stats = ReadDirectoryStats(directory_);
  EXPECT_TRUE(absl::IsFailedPrecondition(stats.status())) << stats.status();
  EXPECT_NE(stats.status().message().find("start a server on it once"), std::string::npos)
      << stats.status();
}

}  // namespace
}  // namespace flarestack::store::rocks
