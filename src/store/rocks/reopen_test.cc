// SPDX-License-Identifier: Apache-2.0
//
// A failure from which RocksDB cannot recover: writing its manifest fails, with an error that is
// not marked as retryable.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "base/testing/eventually.h"
#include "base/text/text.h"
#include "store/rocks/rocks_store.h"
#include "store/rocks/testing/failing_files.h"
#include "store/testing/event_text.h"

namespace flarestack::store::testing {
namespace {

constexpr uint64_t kHour = 3'600'000'000'000;
constexpr uint64_t kStart = 500'000 * kHour;

class ReopenTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = ::testing::TempDir() + "reopen_XXXXXX";
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
    RocksStoreOptions options = {.directory = directory_};
    options.files = lists_.files();
    options.on_reopening = [this](const absl::Status& status) {
      ++(status.ok() ? reopened_ : failed_);
    };
    auto opened = OpenRocksStore(options);
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(directory_);
  }

  absl::Status Append() {
    const std::string name = base::StrCat("f", next_++);
    const auto appended =
        store_->AppendProfiles(MakeBatch({{.time = kStart, .lines = {name + " 1"}}}));
    if (appended.ok())
      acknowledged_ += name + " 1\n";
    return appended.status();
  }

  // Flushes memory to tables and records them in the manifest.
  absl::Status Flush() { return store_->BytesByHour().status(); }

  void BreakDisk() {
    lists_.set_fails(true);
    EXPECT_FALSE(Flush().ok());
    ASSERT_TRUE(base::testing::Eventually([&] {
      if (absl::IsUnavailable(store_->Stats().status()))
        return true;
      EXPECT_FALSE(Append().ok());
      return false;
    }));
  }
  void MendDiskAndAwait() {
    lists_.set_fails(false);
    ASSERT_TRUE(base::testing::Eventually([&] { return Append().ok(); }));
  }

  std::string Stored() const {
    const auto batch = store_->SelectProfiles({});
    return batch.ok() ? FoldedText(*batch) : batch.status().ToString();
  }

  FailingFiles lists_;
  std::string directory_;
  std::unique_ptr<Store> store_;
  std::atomic<int> reopened_ = 0;
  std::atomic<int> failed_ = 0;
  uint64_t next_ = 1'000'000;  // all numbers have the same length, so names sort like numbers
  std::string acknowledged_;
};

TEST_F(ReopenTest, ResumesAutomaticallyAndKeepsAcknowledgedData) {
  for (int round = 1; round <= 2; ++round) {
    EXPECT_TRUE(Append().ok());
    EXPECT_TRUE(Flush().ok());
    EXPECT_TRUE(Append().ok());
    BreakDisk();
    MendDiskAndAwait();
    // Reported shortly after the store is open.
    ASSERT_TRUE(base::testing::Eventually([&] { return reopened_ >= round; }));
    EXPECT_EQ(reopened_, round);
    EXPECT_EQ(Stored(), acknowledged_);
    EXPECT_TRUE(Flush().ok());
  }
}

TEST_F(ReopenTest, LocksTheDirectoryMeanwhile) {
  EXPECT_TRUE(Append().ok());
  BreakDisk();
  EXPECT_TRUE(absl::IsFailedPrecondition(OpenRocksStore({.directory = directory_}).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(LockDirectory(directory_).status()));
  MendDiskAndAwait();
}

TEST_F(ReopenTest, DoesNotRecreateAMissingStore) {
  EXPECT_TRUE(Append().ok());
  std::filesystem::rename(directory_ + "/CURRENT", directory_ + "/moved");
  BreakDisk();
  lists_.set_fails(false);
  for (const int before = failed_; failed_ < before + 2;)
    EXPECT_TRUE(absl::IsUnavailable(Append()));
  std::filesystem::rename(directory_ + "/moved", directory_ + "/CURRENT");
  MendDiskAndAwait();
  EXPECT_EQ(Stored(), acknowledged_);
}

TEST_F(ReopenTest, QueriesContinueMeanwhile) {
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(Append().ok());
  const std::string before = acknowledged_;
  std::atomic<bool> is_over = false;
  std::thread reader([&] {
    while (!is_over) {
      const auto batch = store_->SelectProfiles({});
      EXPECT_TRUE(batch.ok() ? FoldedText(*batch).starts_with(before)
                             : absl::IsUnavailable(batch.status()))
          << batch.status();
    }
  });
  BreakDisk();
  MendDiskAndAwait();
  is_over = true;
  reader.join();
}

}  // namespace
}  // namespace flarestack::store::testing
