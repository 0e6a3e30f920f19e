// SPDX-License-Identifier: Apache-2.0
#include "record/export/spool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "base/status.h"
#include "base/testing/eventually.h"
#include "record/export/spool_file.h"

namespace flarestack::record::exporting {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SpoolTest : public ::testing::Test {
 protected:
  SpoolTest() {
    std::string name = ::testing::TempDir() + "spool_XXXXXX";
    folder_ = mkdtemp(name.data());
    options_.directory = folder_ + "/deep/spool";
    options_.memory_bytes_max = 10 * (1000 + Spool::kMemoryOverheadBytes);
  }
  ~SpoolTest() override { std::filesystem::remove_all(folder_); }

  void Open() {
    spool_ = nullptr;
    auto spool = Spool::Open(options_);
    ASSERT_TRUE(spool.ok()) << spool.status();
    spool_ = *std::move(spool);
  }

  // A request of 1000 bytes that starts with its number.
  static std::string Request(int number) {
    std::string request = std::to_string(number);
    request.resize(1000, '.');
    return request;
  }
  void Push(int first, int last) {
    for (int i = first; i <= last; ++i)
      EXPECT_TRUE(spool_->Push(Request(i)));
  }
  // Removes all requests and returns their numbers, oldest first.
  std::vector<int> TakeAll() {
    std::vector<int> numbers;
    while (const auto entry = spool_->Front()) {
      EXPECT_EQ(entry->request->size(), 1000u);
      numbers.push_back(std::stoi(*entry->request));
      spool_->Remove(entry->sequence);
    }
    return numbers;
  }
  uint64_t Dropped(SpoolDrop cause) const {
    return spool_->stats().dropped[static_cast<size_t>(cause)];
  }
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(options_.directory)) {
      if (file.path().filename() != "lock")
        names.push_back(file.path().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string folder_;
  SpoolOptions options_;
  std::unique_ptr<Spool> spool_;
};

TEST_F(SpoolTest, ReturnsRequestsInOrderFromMemoryAndFiles) {
  Open();
  std::vector<int> all;
  for (int i = 1; i <= 100; ++i) {
    Push(i, i);
    all.push_back(i);
    // Waits for the disk, so that memory is never full.
    ASSERT_TRUE(base::testing::Eventually(
        [&] { return spool_->stats().memory_bytes <= options_.memory_bytes_max / 2; }));
  }
  EXPECT_GE(spool_->stats().spilled, 90u);
  EXPECT_EQ(spool_->stats().requests, 100u);
  EXPECT_LE(spool_->stats().memory_bytes, options_.memory_bytes_max / 2);
  EXPECT_EQ(TakeAll(), all);
  EXPECT_EQ(spool_->stats().disk_bytes, 0u);
  EXPECT_EQ(spool_->stats().memory_bytes, 0u);
  EXPECT_THAT(Files(), ElementsAre());
}

TEST_F(SpoolTest, RestartFindsEverythingInOrder) {
  Open();
  Push(1, 8);
  spool_->Close();
  EXPECT_EQ(spool_->stats().memory_bytes, 0u);
  EXPECT_EQ(Files().size(), 8u);
  Open();
  Push(9, 10);
  EXPECT_THAT(TakeAll(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  EXPECT_FALSE(spool_->Front().has_value());
}

TEST_F(SpoolTest, CountsPushesAfterClose) {
  Open();
  spool_->Close();
  EXPECT_FALSE(spool_->Push(Request(1)));
  EXPECT_EQ(Dropped(SpoolDrop::kClosed), 1u);
}

TEST_F(SpoolTest, DropsTheOldestInMemoryWithoutADirectory) {
  options_.directory = "";
  Open();
  Push(1, 13);
  EXPECT_EQ(Dropped(SpoolDrop::kMemoryFull), 3u);
  EXPECT_EQ(spool_->stats().memory_bytes, options_.memory_bytes_max);
  const auto front = spool_->Front();
  ASSERT_TRUE(front.has_value());
  EXPECT_EQ(std::stoi(*front->request), 4);
  spool_->Close();
  EXPECT_EQ(Dropped(SpoolDrop::kClosed), 10u);
  EXPECT_EQ(spool_->stats().requests, 0u);
}

TEST_F(SpoolTest, DropsTheOldestFileIfTheDiskLimitIsReached) {
  options_.disk_bytes_max = 5 * (1000 + Spool::kDiskOverheadBytes);
  Open();
  Push(1, 8);
  spool_->Close();
  EXPECT_EQ(Dropped(SpoolDrop::kDiskFull), 3u);
  EXPECT_EQ(spool_->stats().disk_bytes, options_.disk_bytes_max);
  EXPECT_EQ(Files().size(), 5u);
  Open();
  EXPECT_THAT(TakeAll(), ElementsAre(4, 5, 6, 7, 8));
}

TEST_F(SpoolTest, SmallerLimitAppliesAfterARestart) {
  Open();
  Push(1, 8);
  options_.disk_bytes_max = 2 * (1000 + Spool::kDiskOverheadBytes);
  Open();
  EXPECT_EQ(Dropped(SpoolDrop::kDiskFull), 6u);
  EXPECT_EQ(Files().size(), 2u);
  EXPECT_THAT(TakeAll(), ElementsAre(7, 8));
}

TEST_F(SpoolTest, SkipsAndCountsTornFiles) {
  Open();
  Push(1, 6);
  spool_->Close();
  const std::vector<std::string> files = Files();
  ASSERT_EQ(files.size(), 6u);
  std::filesystem::resize_file(files[0], 500);
  std::filesystem::resize_file(files[1], 0);
  std::filesystem::resize_file(files[2], 5000);
  {
    std::fstream file(files[4], std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100);
    file.put('x');
  }
  // A write interrupted by a crash, and unrelated files.
  std::filesystem::copy_file(files[3], options_.directory + "/00000000000000000099.otlp.tmp");
  std::ofstream(options_.directory + "/notes.txt") << "mine";
  std::ofstream(options_.directory + "/18446744073709551615.otlp") << "not one of our numbers";
  Open();
  EXPECT_EQ(Dropped(SpoolDrop::kDamaged), 1u);
  EXPECT_THAT(TakeAll(), ElementsAre(4, 6));
  EXPECT_EQ(Dropped(SpoolDrop::kDamaged), 5u);
  EXPECT_EQ(Files().size(), 2u);
}

TEST_F(SpoolTest, KeepsAFileThatCannotBeReadNow) {
  Open();
  Push(1, 3);
  spool_->Close();
  Open();
  ASSERT_EQ(Files().size(), 3u);
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none = {.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const bool has_front = spool_->Front().has_value();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_FALSE(has_front);
  EXPECT_EQ(Dropped(SpoolDrop::kDamaged), 0u);
  EXPECT_EQ(spool_->stats().disk_errors, 3u);
  EXPECT_EQ(Files().size(), 3u);
  EXPECT_THAT(TakeAll(), ElementsAre(1, 2, 3));
}

TEST_F(SpoolTest, DirectoryHasOneUser) {
  Open();
  const auto second = Spool::Open(options_);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(base::Message(second.status()), HasSubstr("another process uses"));
}

TEST_F(SpoolTest, FilesArePrivateToTheUser) {
  Open();
  Push(1, 1);
  spool_->Close();
  struct stat info = {};
  ASSERT_EQ(stat(options_.directory.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  ASSERT_EQ(stat(Files().at(0).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(SpoolTest, CountsDiskErrorsAndContinuesInMemory) {
  Open();
  std::filesystem::remove_all(options_.directory);
  Push(1, 4);
  spool_->Close();
  EXPECT_GE(spool_->stats().disk_errors, 1u);
  EXPECT_THAT(spool_->stats().disk_error, HasSubstr("cannot write"));
  EXPECT_EQ(Dropped(SpoolDrop::kClosed), 4u);
}

TEST_F(SpoolTest, RejectsOversizedRequests) {
  options_.request_bytes_max = 1000;
  Open();
  EXPECT_FALSE(spool_->Push(std::string(1001, 'x')));
  EXPECT_EQ(Dropped(SpoolDrop::kTooLarge), 1u);
  options_.request_bytes_max = uint64_t{1} << 40;
  Open();
  EXPECT_FALSE(spool_->Push(std::string(options_.memory_bytes_max, 'x')));
  EXPECT_EQ(Dropped(SpoolDrop::kTooLarge), 1u);
}

TEST_F(SpoolTest, ThreadsLoseNothingUncounted) {
  options_.disk_bytes_max = 30 * (1000 + Spool::kDiskOverheadBytes);
  Open();
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < 100; ++i)
        spool_->Push(Request(t * 1000 + i));
    });
  }
  uint64_t taken = 0;
  for (int i = 0; i < 50; ++i) {
    if (const auto entry = spool_->Front()) {
      const uint64_t before = spool_->stats().requests;
      spool_->Remove(entry->sequence);
      taken += before > 0 ? 1 : 0;
    }
  }
  for (std::thread& thread : threads)
    thread.join();
  spool_->Close();
  const Spool::Stats stats = spool_->stats();
  const uint64_t lost = Dropped(SpoolDrop::kMemoryFull) + Dropped(SpoolDrop::kDiskFull);
  EXPECT_LE(stats.requests, 30u);
  // A request that was taken may have been dropped at the same moment.
  EXPECT_GE(stats.requests + lost + taken, 400u);
  EXPECT_LE(stats.requests + lost, 400u);
  EXPECT_EQ(Files().size(), stats.requests);
}

TEST(SpoolFileTest, NamesSortByNumber) {
  EXPECT_EQ(SpoolFileName(42), "00000000000000000042.otlp");
  EXPECT_LT(SpoolFileName(9), SpoolFileName(10));
  EXPECT_EQ(ParseSpoolFileName(SpoolFileName(42)), 42u);
  for (const char* const other : {"", "lock", "42.otlp", "0000000000000000004x.otlp",
                                  "00000000000000000042.otlp.tmp", "18446744073709551615.otlp"})
    EXPECT_EQ(ParseSpoolFileName(other), std::nullopt) << other;
  EXPECT_TRUE(IsTemporarySpoolFileName("00000000000000000042.otlp.tmp"));
  EXPECT_FALSE(IsTemporarySpoolFileName("0000000000000000004x.otlp.tmp"));
}

TEST(SpoolFileTest, DetectsEveryChangeOfAFile) {
  const std::string file = EncodeSpoolFile("a request");
  EXPECT_EQ(DecodeSpoolFile(file).value(), "a request");
  EXPECT_EQ(DecodeSpoolFile(EncodeSpoolFile("")).value(), "");
  for (size_t i = 0; i < file.size(); ++i) {
    EXPECT_FALSE(DecodeSpoolFile(file.substr(0, i)).ok());
    std::string changed = file;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(DecodeSpoolFile(changed).ok());
  }
  EXPECT_FALSE(DecodeSpoolFile(file + ".").ok());
}

}  // namespace
}  // namespace flarestack::record::exporting
