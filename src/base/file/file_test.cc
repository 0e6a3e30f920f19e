// SPDX-License-Identifier: Apache-2.0
#include "base/file/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "base/testing/fail_call.h"

namespace flarestack::base {
namespace {

using absl::StatusCode;

constexpr int kNoFilters = 77;

// Runs `work` in a child process and returns its exit code.
int InChild(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0)
    _exit(work());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = (std::filesystem::temp_directory_path() / "flarestack-file-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
    path_ = folder_ + "/file";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Put(std::string_view content) const { std::ofstream(path_, std::ios::binary) << content; }
  std::string Get() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  ptrdiff_t FileCount() const {
    return std::distance(std::filesystem::directory_iterator(folder_), {});
  }
  mode_t Mode() const {
    struct stat info = {};
    EXPECT_EQ(stat(path_.c_str(), &info), 0);
    return info.st_mode & 07777;
  }

  std::string folder_;
  std::string path_;
};

TEST_F(FileTest, ReadsAFileUpToTheLimit) {
  Put("0123456789");
  EXPECT_EQ(*ReadFile(path_, 100), "0123456789");
  EXPECT_EQ(*ReadFile(path_, 10), "0123456789");
  EXPECT_EQ(ReadFile(path_, 9).status().code(), StatusCode::kResourceExhausted);
  Put("");
  EXPECT_EQ(*ReadFile(path_, 0), "");
}

TEST_F(FileTest, ReadsAFileLargerThanOneRead) {
  const std::string content = std::string(3 << 20, 'x') + "end";
  Put(content);
  EXPECT_TRUE(*ReadFile(path_, 4 << 20) == content);
}

TEST_F(FileTest, ReadsDevicesUpToTheLimit) {
  EXPECT_EQ(*ReadFile("/dev/null", 100), "");
  EXPECT_EQ(ReadFile("/dev/zero", 5 << 20).status().code(), StatusCode::kResourceExhausted);
}

TEST_F(FileTest, FailsIfThereIsNoRegularFile) {
  EXPECT_EQ(ReadFile(folder_ + "/missing", 100).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(ReadFile(folder_, 100).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(FileTest, FileIsInvisibleBeforeTheCommit) {
  auto file = OutputFile::Create(path_);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(file->Write("one ").ok());
  EXPECT_TRUE(file->Write("").ok());
  EXPECT_TRUE(file->Write("two").ok());
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_TRUE(file->Commit().ok());
  EXPECT_EQ(Get(), "one two");
  EXPECT_EQ(FileCount(), 1);
}

TEST_F(FileTest, KeepsTheOldFileWithoutACommit) {
  Put("precious");
  {
    auto file = OutputFile::Create(path_);
    ASSERT_TRUE(file.ok());
    EXPECT_TRUE(file->Write("half").ok());
  }
  EXPECT_EQ(Get(), "precious");
  EXPECT_EQ(FileCount(), 1);
}

TEST_F(FileTest, MovedFileCanBeCommitted) {
  auto file = OutputFile::Create(path_);
  ASSERT_TRUE(file.ok());
  std::optional<OutputFile> moved(*std::move(file));
  EXPECT_TRUE(moved->Write("text").ok());
  EXPECT_TRUE(moved->Commit().ok());
  moved.reset();
  EXPECT_EQ(Get(), "text");
  EXPECT_EQ(FileCount(), 1);
}

TEST_F(FileTest, NewFileHasTheDefaultMode) {
  const mode_t before = umask(027);
  auto file = OutputFile::Create(path_);
  umask(before);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->Commit().ok());
  EXPECT_EQ(Mode(), 0640U);
}

// Reading the umask means changing it briefly, which also affects files of other threads. The test
// runs in a child process in which umask() fails.
TEST_F(FileTest, DoesNotChangeTheUmask) {
  const int code = InChild([this] {
    umask(027);
    if (!FailCall(SYS_umask, EPERM))
      return kNoFilters;
    auto file = OutputFile::Create(path_);
    return file.ok() && file->Commit().ok() && Mode() == 0640U ? 0 : 1;
  });
  if (code == kNoFilters)
    GTEST_SKIP() << "this kernel has no seccomp filters";
  EXPECT_EQ(code, 0);
}

TEST_F(FileTest, FailedSyncKeepsTheOldFile) {
  Put("old");
  const int code = InChild([this] {
    if (!FailCall(SYS_fsync, EIO))
      return kNoFilters;
    auto file = OutputFile::Create(path_);
    return file.ok() && file->Write("new").ok() && !file->Commit().ok() ? 0 : 1;
  });
  if (code == kNoFilters)
    GTEST_SKIP() << "this kernel has no seccomp filters";
  EXPECT_EQ(code, 0);
  EXPECT_EQ(Get(), "old");
}

TEST_F(FileTest, PrivateFileStaysPrivate) {
  Put("secret");
  ASSERT_EQ(chmod(path_.c_str(), 0600), 0);
  auto file = OutputFile::Create(path_);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->Commit().ok());
  EXPECT_EQ(Mode(), 0600U);
}

TEST_F(FileTest, WritesThroughASymbolicLink) {
  Put("old");
  const std::string link = folder_ + "/link";
  ASSERT_EQ(symlink("file", link.c_str()), 0);
  auto file = OutputFile::Create(link);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->Write("new").ok());
  EXPECT_TRUE(file->Commit().ok());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(Get(), "new");
  EXPECT_EQ(FileCount(), 2);
}

TEST_F(FileTest, FailsIfTheFolderIsMissing) {
  EXPECT_EQ(OutputFile::Create(folder_ + "/missing/file").status().code(), StatusCode::kNotFound);
  EXPECT_FALSE(OutputFile::Create(folder_).ok());
}

TEST_F(FileTest, WritesToADeviceInPlace) {
  auto null = OutputFile::Create("/dev/null");
  ASSERT_TRUE(null.ok());
  EXPECT_TRUE(null->Write("text").ok());
  EXPECT_TRUE(null->Commit().ok());
  auto full = OutputFile::Create("/dev/full");
  ASSERT_TRUE(full.ok());
  EXPECT_EQ(full->Write("text").code(), StatusCode::kResourceExhausted);
  struct stat info = {};
  ASSERT_EQ(stat("/dev/full", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
}

}  // namespace
}  // namespace flarestack::base
