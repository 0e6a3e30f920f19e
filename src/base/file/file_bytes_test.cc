// SPDX-License-Identifier: Apache-2.0
#include "base/file/file_bytes.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "absl/status/status.h"
#include "base/file/file.h"

namespace flarestack::base {
namespace {

class FileBytesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string folder = ::testing::TempDir() + "file_bytes-XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    path_ = folder + "/bytes";
  }
  void TearDown() override {
    unlink(path_.c_str());
    rmdir(folder_.c_str());
  }
  void Write(const std::string& content) { std::ofstream(path_, std::ios::binary) << content; }

  std::string folder_;
  std::string path_;
};

constexpr size_t kLarge = 3 << 20;

TEST_F(FileBytesTest, HoldsTheContentOfSmallAndLargeFiles) {
  for (const size_t size : {size_t{0}, size_t{10}, size_t{1} << 20, kLarge + 17}) {
    const std::string content(size, 'x');
    Write(content);
    const auto file = FileBytes::Open(path_, kLarge * 2);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_TRUE(file->view() == content) << size;
    EXPECT_EQ(file->is_mapped(), size >= (1 << 20)) << size;
  }
}

TEST_F(FileBytesTest, MovingKeepsTheBytes) {
  Write(std::string(kLarge, 'x'));
  auto file = FileBytes::Open(path_, kLarge);
  ASSERT_TRUE(file.ok());
  const FileBytes moved = *std::move(file);
  EXPECT_EQ(moved.view().size(), kLarge);
  EXPECT_EQ(moved.view().back(), 'x');
}

TEST_F(FileBytesTest, ReportsTheErrorsOfReadFile) {
  EXPECT_EQ(FileBytes::Open(path_, kLarge).status(), ReadFile(path_, kLarge).status());
  EXPECT_EQ(FileBytes::Open(folder_, kLarge).status(), ReadFile(folder_, kLarge).status());
  Write(std::string(kLarge, 'x'));
  const absl::Status too_large = FileBytes::Open(path_, kLarge - 1).status();
  EXPECT_FALSE(too_large.ok());
  EXPECT_EQ(too_large, ReadFile(path_, kLarge - 1).status());
}

TEST_F(FileBytesTest, ReadsAPipe) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  std::thread writer([this] { Write("through a pipe"); });
  const auto file = FileBytes::Open(path_, kLarge);
  writer.join();
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->view(), "through a pipe");
}

TEST_F(FileBytesTest, FileTruncatedDuringReadingReadsAsZeros) {
  Write(std::string(kLarge, 'x'));
  const auto file = FileBytes::Open(path_, kLarge);
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(truncate(path_.c_str(), 100), 0);
  EXPECT_EQ(file->view()[0], 'x');
  EXPECT_EQ(std::ranges::count(file->view(), 'x'), 100);
}

}  // namespace
}  // namespace flarestack::base
