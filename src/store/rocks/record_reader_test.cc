// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/record_reader.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/byte_io.h"

namespace flarestack::store::rocks {
namespace {

class RecordReaderTest : public ::testing::Test {
 protected:
  RecordReaderTest() {
    std::string name = ::testing::TempDir() + "records_XXXXXX";
    directory_ = mkdtemp(name.data());
    auto database =
        Database::Open({.directory = directory_, .memory = SharedMemory::Make(16 << 20)});
    EXPECT_TRUE(database.ok()) << database.status();
    database_ = *std::move(database);
  }
  ~RecordReaderTest() override {
    database_.reset();
    std::filesystem::remove_all(directory_);
  }

  void Write(Table table, uint32_t number, std::string_view record) {
    std::string value;
    base::AppendVarint(20'000, &value);  // the day
    value += record;
    Changes changes(*database_);
    changes.Put(Family::kDictionary, DictionaryKey(table, number), value);
    ASSERT_TRUE(database_->db().Write(rocksdb::WriteOptions(), &changes.batch()).ok());
  }

  // By a reader of its own, as each answer has one.
  std::string Read(uint32_t number) {
    RecordReader reader(*database_, Table::kString);
    const auto record = reader.Read(number);
    return record.ok() ? std::string(*record) : record.status().ToString();
  }

  std::string directory_;
  std::unique_ptr<Database> database_;
};

TEST_F(RecordReaderTest, ReadsAcrossPages) {
  for (uint32_t number = 1; number < 200; ++number)
    Write(Table::kString, number, std::to_string(number));
  Write(Table::kStack, 7, "of another table");
  RecordReader reader(*database_, Table::kString);
  for (const uint32_t number : {1u, 31u, 32u, 33u, 199u, 7u, 64u, 7u}) {
    const auto record = reader.Read(number);
    ASSERT_TRUE(record.ok()) << record.status();
    EXPECT_EQ(*record, std::to_string(number));
  }
}

TEST_F(RecordReaderTest, FindsWhatCameAfterItsPageWasRead) {
  Write(Table::kString, 40, "first");
  RecordReader before(*database_, Table::kString);
  EXPECT_EQ(*before.Read(40), "first");
  Write(Table::kString, 41, "second");
  EXPECT_EQ(*before.Read(41), "second");
  Write(Table::kString, 42, "");
  EXPECT_EQ(Read(42), "");
  EXPECT_EQ(Read(40), "first");
}

TEST_F(RecordReaderTest, ReadsRecordsTooLongForAPage) {
  const std::string long_record(3 * RecordPage::kBytesMax, 'x');
  const std::string half(RecordPage::kBytesMax / 2 + 1, 'y');
  Write(Table::kString, 1, "short");
  Write(Table::kString, 2, long_record);
  Write(Table::kString, 3, half);
  Write(Table::kString, 4, half);
  Write(Table::kString, 5, "last");
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(Read(1), "short");
    EXPECT_EQ(Read(2), long_record);
    EXPECT_EQ(Read(3), half);
    EXPECT_EQ(Read(4), half);
    EXPECT_EQ(Read(5), "last");
  }
}

TEST_F(RecordReaderTest, SaysWhichEntryIsMissing) {
  Write(Table::kString, 1, "here");
  EXPECT_EQ(Read(1), "here");
  EXPECT_EQ(Read(2), "DATA_LOSS: dictionary: entry s2 is missing");
  EXPECT_EQ(Read(UINT32_MAX), "DATA_LOSS: dictionary: entry s4294967295 is missing");
}

}  // namespace
}  // namespace flarestack::store::rocks
