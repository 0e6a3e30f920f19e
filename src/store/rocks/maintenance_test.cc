// SPDX-License-Identifier: Apache-2.0
#include "store/maintenance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/status.h"
#include "codec/otlp/signals/signals_json.h"
#include "store/rocks/database/database.h"
#include "store/rocks/rocks_store.h"
#include "store/testing/event_text.h"

namespace flarestack::store {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::FoldedText;
using ::testing::HasSubstr;
using testing::MakeBatch;
using ::testing::StartsWith;
using testing::TextProfile;

constexpr uint64_t kHour = 3'600'000'000'000;
constexpr uint64_t kStart = 500'000 * kHour;

constexpr char kTraces[] = R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name",
  "value":{"stringValue":"cart"}}]},"scopeSpans":[{"scope":{"name":"lib"},"spans":[
  {"traceId":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","spanId":"0000000000000001","name":"GET /",
   "startTimeUnixNano":"1800000000000000000","endTimeUnixNano":"1800000000000000005"}]}]}]})";
constexpr char kLogs[] = R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[
  {"timeUnixNano":"1800000000000000000","severityNumber":17,"body":{"stringValue":"bad"},
   "traceId":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","spanId":"0000000000000001"}]}]}]})";
constexpr char kMetrics[] = R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[
  {"name":"requests","sum":{"aggregationTemporality":2,"dataPoints":[
    {"timeUnixNano":"1800000000000000000","asInt":"5"}]}},
  {"name":"latency","histogram":{"aggregationTemporality":1,"dataPoints":[
    {"timeUnixNano":"1800000000000000000","count":"3","sum":1.5,"bucketCounts":["1","2"],
     "explicitBounds":[0.5]}]}}]}]}]})";

class MaintenanceTest : public ::testing::Test {
 protected:
  MaintenanceTest() {
    std::string name = ::testing::TempDir() + "maintenance_XXXXXX";
    root_ = mkdtemp(name.data());
    directory_ = root_ + "/data";
  }
  ~MaintenanceTest() override { fs::remove_all(root_); }

  static std::unique_ptr<Store> Open(const std::string& directory) {
    auto store = OpenRocksStore({.directory = directory, .memory_bytes_max = 64 << 20});
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }

  // Stores every kind of entry; the data stays in the write-ahead log.
  void Fill() {
    const auto store = Open(directory_);
    const std::vector<TextProfile> profiles = {
        {.time = kStart, .lines = {base::StrCat("main;run @", kStart + 5, " thread=t1 link=7")}},
        {.service = "shop",
         .type = "inuse_space",
         .unit = "bytes",
         .time = kStart + kHour,
         .profile_id = std::string(16, 'i'),
         .lines = {"main;alloc 4096"}}};
    ASSERT_TRUE(store->AppendProfiles(MakeBatch(profiles)).ok());
    base::Warnings warnings;
    model::TraceBatch traces;
    ASSERT_TRUE(codec::otlp::DecodeTracesJson(kTraces, {}, &traces, &warnings).ok());
    ASSERT_TRUE(store->AppendTraces(traces).ok());
    model::LogBatch logs;
    ASSERT_TRUE(codec::otlp::DecodeLogsJson(kLogs, {}, &logs, &warnings).ok());
    ASSERT_TRUE(store->AppendLogs(logs).ok());
    model::MetricBatch metrics;
    ASSERT_TRUE(codec::otlp::DecodeMetricsJson(kMetrics, {}, &metrics, &warnings).ok());
    ASSERT_TRUE(store->AppendMetrics(metrics).ok());
  }

  // Opening the database flushes the log to tables.
  void FillTables() {
    Fill();
    Open(directory_);
    ASSERT_FALSE(Tables(directory_).empty());
  }

  static std::vector<std::string> Tables(const std::string& directory) {
    std::vector<std::string> paths;
    for (const auto& entry : fs::recursive_directory_iterator(directory)) {
      if (entry.path().extension() == ".sst")
        paths.push_back(entry.path().string());
    }
    return paths;
  }

  static void FlipByte(const std::string& path, uint64_t offset) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    const char byte = static_cast<char>(file.get() ^ 0x20);
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(byte);
  }

  static std::vector<std::string> Places(const VerifyReport& report) {
    std::vector<std::string> places;
    for (const StoreFault& fault : report.faults)
      places.push_back(fault.place);
    return places;
  }

  std::string root_;
  std::string directory_;
};

TEST_F(MaintenanceTest, StoreCountsItsSeriesAndStacks) {
  Fill();
  const auto stats = Open(directory_)->Stats();
  ASSERT_TRUE(stats.ok());
  EXPECT_EQ(stats->series, 2u);
  EXPECT_EQ(stats->stacks, 2u);
}

TEST_F(MaintenanceTest, CountsStoredData) {
  for (const bool in_tables : {false, true}) {
    if (in_tables)
      Open(directory_);
    else
      Fill();
    const auto stats = ReadDirectoryStats(directory_);
    ASSERT_TRUE(stats.ok()) << stats.status();
    EXPECT_GT(stats->store.disk_bytes, 1000u);
    EXPECT_EQ(stats->store.series, 2u);
    EXPECT_EQ(stats->store.stacks, 2u);
    EXPECT_EQ(stats->store.oldest_nanos, kStart);
    EXPECT_EQ(stats->store.newest_nanos, kStart + 2 * kHour);
    ASSERT_EQ(stats->families.size(), rocks::kFamilyCount);
    for (const FamilyStats& family : stats->families) {
      const bool is_unused = family.name == "rollups";
      EXPECT_EQ(family.entries == 0, is_unused) << family.name;
      EXPECT_EQ(family.table_bytes > 0, in_tables && !is_unused) << family.name;
    }
  }
}

TEST_F(MaintenanceTest, SoundDataHasNoFault) {
  Fill();
  const auto in_log = VerifyDirectory(directory_);
  ASSERT_TRUE(in_log.ok()) << in_log.status();
  EXPECT_THAT(Places(*in_log), ElementsAre());
  EXPECT_EQ(in_log->files, 0u);
  Open(directory_);
  const auto in_tables = VerifyDirectory(directory_);
  EXPECT_THAT(Places(*in_tables), ElementsAre());
  EXPECT_EQ(in_tables->files, Tables(directory_).size());
  EXPECT_EQ(in_tables->entries, in_log->entries);
  EXPECT_GT(in_tables->entries, 30u);
}

TEST_F(MaintenanceTest, FindsAFlippedByteInEachFileAndReadsTheRest) {
  FillTables();
  const uint64_t entries = VerifyDirectory(directory_)->entries;
  for (const std::string& path : Tables(directory_)) {
    SCOPED_TRACE(path);
    for (const uint64_t offset : {uint64_t{10}, fs::file_size(path) / 2}) {
      FlipByte(path, offset);
      const auto report = VerifyDirectory(directory_);
      FlipByte(path, offset);
      ASSERT_TRUE(report.ok()) << report.status();
      ASSERT_GE(report->faults.size(), 1u);
      EXPECT_EQ(report->faults[0].place, path);
      EXPECT_EQ(report->files, Tables(directory_).size());
      EXPECT_GT(report->entries, entries / 3);
    }
  }
  EXPECT_EQ(VerifyDirectory(directory_)->fault_count, 0u);
}

TEST_F(MaintenanceTest, ReportsATruncatedOrMissingTable) {
  FillTables();
  const std::string path = Tables(directory_).front();
  fs::resize_file(path, fs::file_size(path) - 1);
  auto report = VerifyDirectory(directory_);
  ASSERT_GE(report->faults.size(), 1u);
  EXPECT_EQ(report->faults[0].place, path);
  EXPECT_THAT(report->faults[0].reason, HasSubstr("expected"));
  fs::remove(path);
  report = VerifyDirectory(directory_);
  ASSERT_GE(report->faults.size(), 1u);
  EXPECT_EQ(report->faults[0].place, path);
}

// Checksums only prove that the data is as it was written. Only the decoders find data that was
// written wrongly.
TEST_F(MaintenanceTest, ReportsTheKeyOfAnUndecodableEntry) {
  Fill();
  {
    const auto database = rocks::Database::Open(
        {.directory = directory_, .memory = rocks::SharedMemory::Make(8 << 20)});
    ASSERT_TRUE(database.ok());
    rocks::Changes changes(**database);
    for (const rocks::Family family :
         {rocks::Family::kSamples, rocks::Family::kSpans, rocks::Family::kLogs,
          rocks::Family::kPoints, rocks::Family::kDictionary, rocks::Family::kSeries,
          rocks::Family::kMetrics})
      changes.Put(family, "zz", "nonsense");
    ASSERT_TRUE((*database)->db().Write({}, &changes.batch()).ok());
  }
  const auto report = VerifyDirectory(directory_);
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(Places(*report),
              ElementsAre("dictionary 7a7a", "series 7a7a", "samples 7a7a", "spans_by_hour 7a7a",
                          "logs 7a7a", "metrics 7a7a", "points 7a7a"));
}

TEST_F(MaintenanceTest, ReportsABrokenManifestAndStillReadsTheTables) {
  FillTables();
  for (const auto& entry : fs::directory_iterator(directory_)) {
    if (entry.path().filename().string().starts_with("MANIFEST"))
      FlipByte(entry.path().string(), 20);
  }
  const auto report = VerifyDirectory(directory_);
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(Places(*report), ElementsAre(directory_));
  EXPECT_EQ(report->files, Tables(directory_).size());
  EXPECT_GT(report->entries, 30u);
}

TEST_F(MaintenanceTest, RejectsADirectoryInUseOrWithoutData) {
  EXPECT_TRUE(absl::IsNotFound(VerifyDirectory(directory_).status()));
  EXPECT_TRUE(absl::IsNotFound(ReadDirectoryStats(directory_).status()));
  EXPECT_TRUE(absl::IsNotFound(BackUp(directory_, root_ + "/backup")));
  EXPECT_FALSE(fs::exists(directory_));
  EXPECT_FALSE(fs::exists(root_ + "/backup"));
  const auto store = Open(directory_);
  for (const absl::Status& status :
       {VerifyDirectory(directory_).status(), ReadDirectoryStats(directory_).status(),
        BackUp(directory_, root_ + "/backup")}) {
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    EXPECT_THAT(std::string(base::Message(status)), StartsWith("another process uses"));
  }
}

TEST_F(MaintenanceTest, RestoresABackup) {
  Fill();
  const std::string backup = root_ + "/backup";
  const std::string restored = root_ + "/restored";
  ASSERT_TRUE(BackUp(directory_, backup).ok());
  const std::string before = FoldedText(*Open(directory_)->SelectProfiles({}));
  const absl::Status status = Restore(backup, restored);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(VerifyDirectory(restored)->fault_count, 0u);
  EXPECT_EQ(FoldedText(*Open(restored)->SelectProfiles({})), before);

  EXPECT_TRUE(absl::IsAlreadyExists(BackUp(directory_, backup)));
  EXPECT_TRUE(absl::IsAlreadyExists(Restore(backup, restored)));
  EXPECT_TRUE(absl::IsNotFound(Restore(directory_, root_ + "/third")));
  EXPECT_TRUE(absl::IsNotFound(Restore(root_ + "/nowhere", root_ + "/third")));
}

TEST_F(MaintenanceTest, NeitherBacksUpNorRestoresDamage) {
  FillTables();
  const std::string backup = root_ + "/backup";
  ASSERT_TRUE(BackUp(directory_, backup).ok());
  const std::string saved = Tables(backup).front();
  FlipByte(saved, fs::file_size(saved) / 2);
  EXPECT_TRUE(absl::IsDataLoss(Restore(backup, root_ + "/restored")));
  EXPECT_TRUE(fs::is_empty(root_ + "/restored"));

  const std::string table = Tables(directory_).front();
  FlipByte(table, fs::file_size(table) / 2);
  EXPECT_TRUE(absl::IsDataLoss(BackUp(directory_, root_ + "/second")));
  EXPECT_TRUE(!fs::exists(root_ + "/second") || fs::is_empty(root_ + "/second"));
}

}  // namespace
}  // namespace flarestack::store
