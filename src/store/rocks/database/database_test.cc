// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/database/database.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/file/file.h"
#include "base/testing/eventually.h"
#include "store/rocks/testing/failing_files.h"

namespace flarestack::store::rocks {
namespace {

class DatabaseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = ::testing::TempDir() + "database_XXXXXX";
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  absl::StatusOr<std::unique_ptr<Database>> Open(const std::string& directory) {
    return Database::Open({.directory = directory, .memory = SharedMemory::Make(16 << 20)});
  }

  static void Put(const Database& database, Family family, std::string_view key,
                  std::string_view value) {
    rocksdb::WriteOptions options;
    options.sync = true;
    const auto status =
        database.db().Put(options, database.handle(family), ToSlice(key), ToSlice(value));
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  // A copy of the current files, which is the state a killed process leaves.
  std::string Killed() const {
    std::string copy = directory_ + "/killed";
    std::filesystem::create_directory(copy);
    for (const auto& entry : std::filesystem::directory_iterator(directory_ + "/data"))
      std::filesystem::copy(entry.path(), copy);
    return copy;
  }

  static std::vector<std::string> LogsOf(const std::string& directory) {
    std::vector<std::string> logs;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (entry.path().extension() == ".log")
        logs.push_back(entry.path());
    }
    std::ranges::sort(logs);
    return logs;
  }

  std::string directory_;
};

class FailedWriteTest : public DatabaseTest {
 protected:
  void SetUp() override {
    DatabaseTest::SetUp();
    auto opened = Database::Open({.directory = directory_ + "/data",
                                  .memory = SharedMemory::Make(16 << 20),
                                  .files = files_.files()});
    ASSERT_TRUE(opened.ok()) << opened.status();
    database_ = *std::move(opened);
  }
  void TearDown() override {
    database_.reset();
    DatabaseTest::TearDown();
  }

  rocksdb::Status Write(std::string_view key) const {
    Changes changes(*database_);
    changes.Put(Family::kMeta, key, "value");
    return database_->Write(rocksdb::WriteOptions(), &changes);
  }

  // RocksDB is busy while it recovers by itself.
  rocksdb::Status Resume() const {
    rocksdb::Status status;
    EXPECT_TRUE(base::testing::Eventually([&] {
      status = database_->Resume();
      return !status.IsBusy();
    }));
    return status;
  }

  testing::FailingFiles files_{testing::FailingKind::kLog};
  std::unique_ptr<Database> database_;
};

TEST_F(FailedWriteTest, ResumesWithANewLog) {
  ASSERT_TRUE(Write("a").ok());
  files_.set_fails(true);
  EXPECT_TRUE(Write("b").IsNoSpace());
  files_.set_fails(false);
  EXPECT_TRUE(Write("c").IsNoSpace());
  const rocksdb::Status resumed = Resume();
  ASSERT_TRUE(resumed.ok()) << resumed.ToString();
  EXPECT_FALSE(database_->has_failed_write());
  EXPECT_TRUE(Write("d").ok());
}

// With nothing in memory RocksDB does not start a new log, and aborts when it appends to the old.
TEST_F(FailedWriteTest, MustBeReopenedIfTheLogStaysTheSame) {
  ASSERT_TRUE(Write("a").ok());
  ASSERT_TRUE(database_->FlushAll().ok());
  files_.set_fails(true);
  EXPECT_TRUE(Write("b").IsNoSpace());
  files_.set_fails(false);
  EXPECT_EQ(Resume().severity(), rocksdb::Status::Severity::kFatalError);
  EXPECT_TRUE(Write("c").IsNoSpace());
  EXPECT_TRUE(database_->has_failed_write());
}

// A failed write leaves part of a record at the end of the log. RocksDB then flushes all families
// to tables, one after the other. If it is killed in between, one family is in a table that refers
// to a new log, while the latest data of the others is in the torn log.
TEST_F(DatabaseTest, OpensAfterAKillDuringRecoveryFromAFailedWrite) {
  std::string killed;
  {
    const auto database = Open(directory_ + "/data");
    ASSERT_TRUE(database.ok()) << database.status();
    Put(**database, Family::kMeta, "flushed", "one");
    Put(**database, Family::kSeries, "logged", std::string(1000, 'x'));
    const auto flushed =
        (*database)->db().Flush(rocksdb::FlushOptions(), (*database)->handle(Family::kMeta));
    ASSERT_TRUE(flushed.ok()) << flushed.ToString();
    killed = Killed();
  }
  const std::vector<std::string> logs = LogsOf(killed);
  ASSERT_EQ(logs.size(), 2u);
  ASSERT_EQ(std::filesystem::file_size(logs[1]), 0u);
  const auto log = base::ReadFile(logs[0], /*bytes_max=*/1 << 20);
  ASSERT_TRUE(log.ok()) << log.status();
  // The first 7 bytes are the record header.
  std::ofstream(logs[0], std::ios::app) << log->substr(0, 12);

  const auto database = Open(killed);
  ASSERT_TRUE(database.ok()) << database.status();
  EXPECT_EQ((*database)->Get(Family::kMeta, "flushed").value(), "one");
  EXPECT_EQ((*database)->Get(Family::kSeries, "logged").value(), std::string(1000, 'x'));
}

}  // namespace
}  // namespace flarestack::store::rocks
