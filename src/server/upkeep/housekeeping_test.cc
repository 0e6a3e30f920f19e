// SPDX-License-Identifier: Apache-2.0
//
// Retention and disk limit over several tenants, with a fake clock.
#include "server/upkeep/housekeeping.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <system_error>

#include "base/clock.h"
#include "base/testing/eventually.h"
#include "base/text/text.h"
#include "model/signal.h"
#include "store/testing/event_text.h"

namespace flarestack::server {
namespace {

using model::Signal;
using store::SignalTimes;
using store::testing::FoldedText;
using store::testing::MakeBatch;

constexpr uint64_t kHour = base::kNanosPerHour;
constexpr uint64_t kStart = 500'000 * kHour;

class HousekeepingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = ::testing::TempDir() + "housekeeping_XXXXXX";
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
    auto tenants =
        Tenants::Open({.directory = directory_,
                       .is_on = true,
                       .tenants_max = 2,
                       .store = {.sync_each_commit = false, .caps = {.disk_bytes = 8 << 20}},
                       .counters = &counters_,
                       .log = &log_});
    ASSERT_TRUE(tenants.ok()) << tenants.status();
    tenants_ = *std::move(tenants);
  }
  void TearDown() override {
    tenants_.reset();
    std::filesystem::remove_all(directory_);
  }

  store::Store& StoreOf(const std::string& tenant) {
    const auto data = tenants_->ForWriting(tenant);
    EXPECT_TRUE(data.ok()) << data.status();
    return *data->store;
  }
  void Append(const std::string& tenant, uint64_t time, const std::vector<std::string>& lines) {
    EXPECT_TRUE(StoreOf(tenant).AppendProfiles(MakeBatch({{.time = time, .lines = lines}})).ok());
  }
  // Appends about half a megabyte that compresses poorly.
  void AppendMuch(const std::string& tenant, uint64_t hour) {
    std::vector<std::string> lines;
    for (int i = 0; i < 100'000; ++i)
      lines.push_back(base::StrCat("f", hour, " @", kStart + hour * kHour + random_() % kHour));
    Append(tenant, kStart + hour * kHour, lines);
  }
  uint64_t OldestHour(const std::string& tenant) {
    return (StoreOf(tenant).Stats()->oldest_nanos - kStart) / kHour;
  }
  // Flushes everything to tables. RocksDB deletes its logs a moment later, in the background.
  void Flush() {
    for (const auto& [name, store] : tenants_->All())
      ASSERT_TRUE(store->BytesByHour().ok());
    ASSERT_TRUE(base::testing::Eventually([this] { return LogBytes() == 0; }));
  }
  uint64_t LogBytes() const {
    uint64_t bytes = 0;
    std::error_code gone;  // deleted while we look
    for (const auto& file : std::filesystem::recursive_directory_iterator(directory_)) {
      const uint64_t size = file.path().extension() == ".log" ? file.file_size(gone) : 0;
      bytes += gone ? 0 : size;
    }
    return bytes;
  }
  uint64_t DiskBytes() { return MeasureDisk(directory_).bytes; }
  absl::Status Run(HousekeepingOptions options, uint64_t now) {
    options.directory = directory_;
    options.now_nanos = [now] { return now; };
    options.log = &log_;
    return Housekeeping(tenants_.get(), &room_, &counters_, std::move(options)).RunOnce();
  }

  std::string directory_;
  base::EventLog log_{{.write = [this](std::string_view line) { lines_ += line; }}};
  std::string lines_;
  base::Counters counters_;
  Room room_;
  std::unique_ptr<Tenants> tenants_;
  std::mt19937_64 random_{5};
};

TEST_F(HousekeepingTest, DropsOldDataOfEveryTenant) {
  for (const char* tenant : {"a", "b"}) {
    Append(tenant, kStart, {"old 1"});
    Append(tenant, kStart + 9 * kHour, {"new 1"});
  }
  HousekeepingOptions options;
  options.retention = SignalTimes::All(5 * kHour);
  ASSERT_TRUE(Run(options, kStart + 10 * kHour).ok());
  EXPECT_NE(lines_.find("store.dropped reason=retention tenant=b hours=5"), std::string::npos)
      << lines_;
  for (const char* tenant : {"a", "b"})
    EXPECT_EQ(FoldedText(*StoreOf(tenant).SelectProfiles({})), "new 1\n") << tenant;
}

TEST_F(HousekeepingTest, KeepsASignalForever) {
  Append("a", kStart, {"old 1"});
  HousekeepingOptions options;
  options.retention = SignalTimes::All(5 * kHour);
  options.retention[Signal::kProfiles] = 0;
  ASSERT_TRUE(Run(options, kStart + 100 * kHour).ok());
  EXPECT_EQ(FoldedText(*StoreOf("a").SelectProfiles({})), "old 1\n");
}

// b has the oldest hours, although a is larger.
TEST_F(HousekeepingTest, DropsTheOldestHoursFirstAcrossTenants) {
  for (const uint64_t hour : {1, 2})
    AppendMuch("b", hour);
  for (const uint64_t hour : {3, 4, 5, 6})
    AppendMuch("a", hour);
  Flush();
  HousekeepingOptions options;
  options.quota = std::make_shared<store::DiskQuota>(DiskBytes() * 6 / 5);
  ASSERT_TRUE(Run(options, kStart + 7 * kHour).ok());
  EXPECT_LE(DiskBytes(), options.quota->bytes_max());
  EXPECT_FALSE(room_.is_full());
  EXPECT_EQ(OldestHour("a"), 3u);
  EXPECT_NE(StoreOf("b").Stats()->oldest_nanos, kStart + kHour);
}

TEST_F(HousekeepingTest, RejectsDataIfNothingCanBeDropped) {
  AppendMuch("a", 1);
  HousekeepingOptions options;
  options.quota = std::make_shared<store::DiskQuota>(1000);
  ASSERT_TRUE(Run(options, kStart + kHour).ok());
  EXPECT_EQ(room_.Admit().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(OldestHour("a"), 1u);
  options.quota = nullptr;
  ASSERT_TRUE(Run(options, kStart + kHour).ok());
  EXPECT_TRUE(room_.Admit().ok());
  EXPECT_NE(lines_.find("warn store.full "), std::string::npos) << lines_;
  EXPECT_NE(lines_.find("info store.has_room "), std::string::npos) << lines_;
}

}  // namespace
}  // namespace flarestack::server
