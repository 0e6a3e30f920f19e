// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/dictionary/record_reader.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/byte_reader.h"
#include "store/rocks/dictionary/record_run.h"

namespace flarestack::store::rocks {
namespace {

constexpr uint32_t kStamp = 500'000;

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
    base::AppendVarint(20'000, &value);  // a day, as in format 2
    value += record;
    Changes changes(*database_);
    changes.Put(Family::kDictionary, DictionaryKey(table, number), value);
    ASSERT_TRUE(database_->db().Write(rocksdb::WriteOptions(), &changes.batch()).ok());
  }

  // With a new reader, as for each query.
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

TEST_F(RecordReaderTest, ReadsRunsOfRecords) {
  const std::string long_record(RecordPage::kBytesMax + 1, 'x');
  const auto record_of = [&](uint32_t number) {
    return number == 70 ? long_record : std::to_string(number);
  };
  Changes changes(*database_);
  RunWriter runs(Table::kString, kStamp, &changes);
  for (uint32_t number = 30; number < 100; ++number) {
    if (number != 50)  // skipped, as after a failed write
      runs.Add(number, record_of(number));
  }
  runs.Finish();
  RunWriter others(Table::kStack, kStamp, &changes);
  others.Add(100, "of another table");
  others.Finish();
  EXPECT_EQ(changes.batch().Count(), 6);  // 30-31, 32-49, 51-63, 64-95, 96-99; 100
  ASSERT_TRUE(database_->db().Write(rocksdb::WriteOptions(), &changes.batch()).ok());
  StoredRuns stored(*database_, Table::kString);
  for (const uint32_t number : {30u, 31u, 32u, 49u, 51u, 63u, 64u, 69u, 70u, 71u, 95u, 99u}) {
    EXPECT_EQ(Read(number), record_of(number));
    const auto found = stored.Find(number);
    ASSERT_TRUE(found.ok() && found->has_value()) << number;
    EXPECT_EQ((*found)->record, record_of(number));
    EXPECT_EQ((*found)->run->stamp, kStamp);
  }
  for (const uint32_t number : {29u, 50u, 100u}) {
    EXPECT_NE(Read(number).find("missing"), std::string::npos) << number;
    EXPECT_FALSE(stored.Find(number)->has_value()) << number;
  }
}

TEST_F(RecordReaderTest, RejectsBrokenRuns) {
  RunEncoder encoder;
  encoder.Add("one");
  encoder.Add("two");
  const std::string whole(encoder.Take(kStamp));
  rocks::Run run;
  ASSERT_TRUE(DecodeRun(30, whole, &run).ok());
  EXPECT_EQ(run.stamp, kStamp);
  EXPECT_EQ(run.records, (std::vector<std::string_view>{"one", "two"}));
  EXPECT_FALSE(DecodeRun(31, whole, &run).ok()) << "it leaves its page";
  EXPECT_TRUE(run.records.empty());
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(DecodeRun(0, whole.substr(0, size), &run).ok()) << size;
  EXPECT_FALSE(DecodeRun(0, whole + "x", &run).ok());
  EXPECT_TRUE(run.records.empty());
}

TEST_F(RecordReaderTest, FindsRecordsAddedAfterTheirPageWasRead) {
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

TEST_F(RecordReaderTest, ReportsWhichEntryIsMissing) {
  Write(Table::kString, 1, "here");
  EXPECT_EQ(Read(1), "here");
  EXPECT_EQ(Read(2), "DATA_LOSS: dictionary: entry s2 is missing");
  EXPECT_EQ(Read(UINT32_MAX), "DATA_LOSS: dictionary: entry s4294967295 is missing");
}

}  // namespace
}  // namespace flarestack::store::rocks
