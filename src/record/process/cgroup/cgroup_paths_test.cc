// SPDX-License-Identifier: Apache-2.0
#include "record/process/cgroup/cgroup_paths.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "elf/testing/compiled_program.h"

namespace flarestack::record::agent {
namespace {

using elf::testing::WorkFolder;

uint64_t InodeOf(const std::string& path) {
  struct stat about = {};
  EXPECT_EQ(stat(path.c_str(), &about), 0) << path;
  return about.st_ino;
}

TEST(CgroupPathsTest, FindsOldAndNewFoldersByInode) {
  const WorkFolder folder;
  ASSERT_TRUE(folder.Run("mkdir -p system.slice/cron.service kubepods/pod1/c1"));
  CgroupPaths paths(folder.path());
  EXPECT_EQ(paths.Find(InodeOf(folder.Path("kubepods/pod1/c1"))), "/kubepods/pod1/c1");
  EXPECT_EQ(paths.Find(InodeOf(folder.Path("system.slice"))), "/system.slice");
  ASSERT_TRUE(folder.Run("mkdir -p system.slice/new.service"));
  EXPECT_EQ(paths.Find(InodeOf(folder.Path("system.slice/new.service"))),
            "/system.slice/new.service");
}

TEST(CgroupPathsTest, KeepsAKnownPathAfterTheFolderIsGone) {
  const WorkFolder folder;
  ASSERT_TRUE(folder.Run("mkdir short"));
  const uint64_t id = InodeOf(folder.Path("short"));
  CgroupPaths paths(folder.path());
  EXPECT_EQ(paths.Find(id), "/short");
  ASSERT_TRUE(folder.Run("rmdir short"));
  EXPECT_EQ(paths.Find(id), "/short");
}

TEST(CgroupPathsTest, FindsNothingForUnknownInodesAndMissingTrees) {
  const WorkFolder folder;
  CgroupPaths paths(folder.path());
  EXPECT_EQ(paths.Find(~uint64_t{0}), std::nullopt);
  EXPECT_EQ(paths.Find(~uint64_t{0}), std::nullopt);
  EXPECT_EQ(CgroupPaths("").Find(1), std::nullopt);
  EXPECT_EQ(CgroupPaths("/does/not/exist").Find(1), std::nullopt);
}

TEST(CgroupPathsTest, LimitsWalkAndMemory) {
  const WorkFolder folder;
  ASSERT_TRUE(folder.Run("mkdir a b c d"));
  CgroupPaths short_walk(folder.path(), {.paths_max = 100, .walk_max = 2});
  int found = 0;
  for (const char* name : {"a", "b", "c", "d"})
    found += short_walk.Find(InodeOf(folder.Path(name))).has_value() ? 1 : 0;
  EXPECT_EQ(found, 2);
  CgroupPaths short_memory(folder.path(), {.paths_max = 4, .walk_max = 100});
  for (const char* name : {"a", "b", "c", "d"})
    EXPECT_TRUE(short_memory.Find(InodeOf(folder.Path(name))).has_value()) << name;
}

// A cgroup for the duration of a test.
class OwnCgroup {
 public:
  explicit OwnCgroup(const std::string& root)
      : path_(root + "/flarestack-test-" + std::to_string(getpid())),
        exists_(!root.empty() && mkdir(path_.c_str(), 0755) == 0) {}
  ~OwnCgroup() {
    if (exists_)
      rmdir(path_.c_str());
  }
  OwnCgroup(const OwnCgroup&) = delete;
  OwnCgroup& operator=(const OwnCgroup&) = delete;

  bool exists() const { return exists_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool exists_;
};

TEST(CgroupPathsTest, FindsARealCgroupByItsInode) {
  const std::string root = FindCgroupRoot();
  const OwnCgroup cgroup(root);
  if (!cgroup.exists())
    GTEST_SKIP() << "needs a writable cgroup tree of version 2, mounted at \"" << root << "\"";
  // The walk finds nothing, so the kernel has to open the cgroup by its id.
  CgroupPaths paths(root, {.paths_max = 10, .walk_max = 0});
  EXPECT_EQ(paths.Find(InodeOf(cgroup.path())), cgroup.path().substr(root.size()));
  EXPECT_EQ(paths.Find(InodeOf(root)), "/");
  CgroupPaths walked(root);
  EXPECT_EQ(walked.Find(InodeOf(cgroup.path())), cgroup.path().substr(root.size()));
}

TEST(FindCgroupRootTest, FindsTheVersion2TreeAmongOthers) {
  EXPECT_EQ(
      FindCgroupRoot("22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
                     "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - tmpfs tmpfs rw\n"
                     "31 30 0:27 / /sys/fs/cgroup/cpu rw shared:11 - cgroup cgroup rw,cpu\n"
                     "32 30 0:28 / /sys/fs/cgroup/unified rw shared:10 - cgroup2 cgroup2 rw\n"),
      "/sys/fs/cgroup/unified");
  EXPECT_EQ(FindCgroupRoot("22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"), "");
}

TEST(ChooseCgroupPathTest, ChoosesTheMostInformativePath) {
  const std::string id(64, 'a');
  EXPECT_EQ(ChooseCgroupPath("0::/system.slice/cron.service\n"), "/system.slice/cron.service");
  EXPECT_EQ(ChooseCgroupPath("5:memory:/user\n1:name=systemd:/system.slice/a.service\n0::/\n"),
            "/system.slice/a.service");
  EXPECT_EQ(ChooseCgroupPath("5:memory:/docker/" + id + "\n0::/system.slice/docker.service\n"),
            "/docker/" + id);
  EXPECT_EQ(ChooseCgroupPath("5:cpu,cpuacct:/a:b\n0::/\n"), "/a:b");
  EXPECT_EQ(ChooseCgroupPath("9:name=systemd:/\n0::/\n"), "/");
  EXPECT_EQ(ChooseCgroupPath(""), "/");
  EXPECT_EQ(ChooseCgroupPath("nonsense\n::\n0:\n"), "/");
}

TEST(CgroupPathOfProcessTest, ReadsItsOwnPath) {
  const auto path = CgroupPathOfProcess(getpid());
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_TRUE(path->starts_with("/"));
  EXPECT_FALSE(CgroupPathOfProcess(0x7ffffffe).ok());
}

}  // namespace
}  // namespace flarestack::record::agent
