// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/database/info_log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace flarestack::store::rocks {
namespace {

class InfoLogTest : public ::testing::Test {
 protected:
  InfoLogTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "flarestack-log-XXXXXX");
    directory_ = mkdtemp(pattern.data());
  }
  ~InfoLogTest() override { std::filesystem::remove_all(directory_); }

  std::string Text(const std::string& name) const {
    std::ifstream file(directory_ + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string directory_;
};

TEST_F(InfoLogTest, WritesLinesAndRotatesTheFile) {
  const auto log = MakeInfoLog(directory_, 1000);
  rocksdb::Log(log.get(), "the number is %d", 42);
  EXPECT_NE(Text("LOG").find("Z the number is 42\n"), std::string::npos);
  for (int i = 0; i < 100; ++i)
    rocksdb::Log(log.get(), "line %d", i);
  EXPECT_LE(Text("LOG").size(), 1000u);
  EXPECT_LE(Text("LOG.old").size(), 1000u);
  EXPECT_NE(Text("LOG").find("line 99\n"), std::string::npos);
  const std::string long_text(10'000, 'x');
  rocksdb::Log(log.get(), "%s", long_text.c_str());  // truncated
}

// On a full disk, RocksDB's own logger ends the process at the second line.
TEST_F(InfoLogTest, DropsLinesThatCannotBeWritten) {
  std::filesystem::create_symlink("/dev/full", directory_ + "/LOG");
  const auto log = MakeInfoLog(directory_, 1000);
  for (int i = 0; i < 100; ++i)
    rocksdb::Log(log.get(), "line %d", i);
  const auto nowhere = MakeInfoLog(directory_ + "/no/such/folder", 1000);
  rocksdb::Log(nowhere.get(), "line");
}

}  // namespace
}  // namespace flarestack::store::rocks
