// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/perf_map/perf_map_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/text/text.h"
#include "record/process/proc/process_list.h"
#include "record/runtime/perf_map/code_file_owner.h"

namespace flarestack::record::runtime {
namespace {

constexpr uid_t kOtherUser = 12345;

// The perf map of this process.
class PerfMapFileTest : public ::testing::Test {
 protected:
  PerfMapFileTest() : path_(base::StrCat("/tmp/perf-", InnerPid(), ".map")) {
    std::filesystem::remove(path_);
  }
  ~PerfMapFileTest() override { std::filesystem::remove(path_); }

  static pid_t InnerPid() {
    const auto owner = ReadOwner(getpid());
    EXPECT_TRUE(owner.ok()) << owner.status();
    return owner.ok() ? owner->pid_inside : 0;
  }

  void Append(std::string_view text) { std::ofstream(path_, std::ios::app) << text; }

  // Names at 0x1000 and 0x2000.
  std::string Names() {
    const absl::Status status = file_.Refresh();
    return status.ok() ? base::StrCat(file_.Find(0x1000), ",", file_.Find(0x2000))
                       : std::string(absl::StatusCodeToString(status.code()));
  }

  std::string path_;
  PerfMapFile file_{getpid(), agent::StartTime(getpid()).value_or(0)};
};

TEST_F(PerfMapFileTest, FollowsAFileThatGrows) {
  EXPECT_EQ(Names(), "NOT_FOUND");
  Append("1000 10 f\n2000 10 g");
  EXPECT_EQ(Names(), "f,");
  Append("\n1000 10 replaced\n");
  EXPECT_EQ(Names(), "replaced,g");
  EXPECT_EQ(Names(), "replaced,g");
}

TEST_F(PerfMapFileTest, StartsAgainWhenTheFileIsReplaced) {
  Append("1000 10 f\n2000 10 g\n");
  EXPECT_EQ(Names(), "f,g");
  std::ofstream(path_, std::ios::trunc) << "1000 10 x\n";
  EXPECT_EQ(Names(), "x,") << "shorter";
  std::ofstream(path_, std::ios::trunc) << "2000 10 some longer name\n";
  EXPECT_EQ(Names(), ",some longer name") << "rewritten in place, and longer";
  std::filesystem::remove(path_);
  EXPECT_EQ(Names(), "NOT_FOUND");
  Append("1000 10 another file\n2000 10 some longer name\n");
  EXPECT_EQ(Names(), "another file,some longer name");
}

TEST_F(PerfMapFileTest, RejectsAFileOlderThanTheProcess) {
  Append("1000 10 f\n");
  std::filesystem::last_write_time(
      path_, std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * 365));
  EXPECT_EQ(Names(), "FAILED_PRECONDITION");
}

TEST_F(PerfMapFileTest, RejectsLinksAndPipes) {
  const std::string target = path_ + ".target";
  std::ofstream(target) << "1000 10 f\n";
  ASSERT_EQ(symlink(target.c_str(), path_.c_str()), 0);
  EXPECT_NE(Names(), "f,");
  std::filesystem::remove(path_);
  std::filesystem::remove(target);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(Names(), "INVALID_ARGUMENT");
}

TEST_F(PerfMapFileTest, RejectsAFileOfAnotherUser) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give a file to another user";
  Append("1000 10 f\n");
  EXPECT_EQ(Names(), "f,");
  ASSERT_EQ(chown(path_.c_str(), kOtherUser, kOtherUser), 0);
  EXPECT_EQ(Names(), "PERMISSION_DENIED");
}

TEST(ParseOwnerTest, ReadsTheUserAndTheInnermostPid) {
  EXPECT_EQ(ParseOwner("Name:\tnode\nUid:\t1\t1000\t2\t3\nNSpid:\t4711\t12\t7\n"),
            (ProcessOwner{.user = 1000, .pid_inside = 7}));
  EXPECT_EQ(ParseOwner("Uid:\t1\t1000\t2\t3\n"), std::nullopt);
  EXPECT_EQ(ParseOwner("NSpid:\t1\n"), std::nullopt);
  EXPECT_EQ(ParseOwner("Uid:\t1\tx\nNSpid:\t1\n"), std::nullopt);
  EXPECT_EQ(ParseOwner("Uid:\t1\t2\nNSpid:\t99999999999\n"), std::nullopt);
}

}  // namespace
}  // namespace flarestack::record::runtime
