// SPDX-License-Identifier: Apache-2.0
#include "base/file/bus_guard.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "base/file/mapped_file.h"

namespace flarestack::base {
namespace {

class BusGuardTest : public ::testing::Test {
 protected:
  BusGuardTest()
      : path_((std::filesystem::temp_directory_path() /
               ("bus_guard_test." + std::to_string(getpid())))
                  .string()) {
    std::ofstream(path_) << std::string(kBytes, 'x');
  }
  ~BusGuardTest() override { std::filesystem::remove(path_); }

  static constexpr size_t kBytes = 64 << 10;
  const std::string path_;
};

TEST_F(BusGuardTest, TruncatedFileReadsAsZeros) {
  auto file = MappedFile::Open(path_);
  ASSERT_TRUE(file.ok()) << file.status();
  BusGuard guard(file->bytes());
  ASSERT_TRUE(guard.is_on());
  EXPECT_EQ(file->bytes()[kBytes - 1], 'x');
  std::filesystem::resize_file(path_, 0);
  EXPECT_EQ(std::count(file->bytes().begin(), file->bytes().end(), '\0'), kBytes);
}

TEST_F(BusGuardTest, MovedGuardStillGuards) {
  auto file = MappedFile::Open(path_);
  ASSERT_TRUE(file.ok()) << file.status();
  BusGuard first(file->bytes());
  BusGuard second = std::move(first);
  EXPECT_FALSE(first.is_on());  // NOLINT(bugprone-use-after-move): that is what is tested
  ASSERT_TRUE(second.is_on());
  std::filesystem::resize_file(path_, 0);
  EXPECT_EQ(file->bytes()[0], '\0');
}

TEST_F(BusGuardTest, ProcessDiesWithoutAGuard) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        auto file = MappedFile::Open(path_);
        { const BusGuard guard(file->bytes()); }
        std::filesystem::resize_file(path_, 0);
        volatile char touched = file->bytes()[0];
        static_cast<void>(touched);
      },
      "");
}

}  // namespace
}  // namespace flarestack::base
