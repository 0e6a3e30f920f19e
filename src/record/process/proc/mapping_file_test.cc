// SPDX-License-Identifier: Apache-2.0
#include "record/process/proc/mapping_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "elf/build_id.h"
#include "elf/elf_outline.h"
#include "elf/testing/compiled_program.h"

namespace flarestack::record::agent {
namespace {

using elf::testing::WorkFolder;

// A page of a file in our own memory.
class MappedPage {
 public:
  explicit MappedPage(const std::string& path) : MappedPage(open(path.c_str(), O_RDONLY)) {}
  explicit MappedPage(int fd) {
    memory_ = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
  }
  ~MappedPage() { munmap(memory_, 4096); }
  MappedPage(const MappedPage&) = delete;
  MappedPage& operator=(const MappedPage&) = delete;

  ProcessMapping mapping() const {
    const auto mappings = ReadMaps(getpid(), MapsChoice::kAll);
    if (mappings.ok()) {
      for (const ProcessMapping& mapping : *mappings) {
        if (mapping.start == reinterpret_cast<uint64_t>(memory_))
          return mapping;
      }
    }
    return {};
  }

 private:
  void* memory_ = nullptr;
};

std::string ReadStart(const OpenedMapping& opened) {
  std::string bytes(100, '\0');
  const ssize_t got = pread(opened.file.get(), bytes.data(), bytes.size(), 0);
  bytes.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return bytes;
}

bool MayUseMapFiles(const ProcessMapping& mapping) {
  const auto opened = OpenMappingFile({.pid = getpid(), .mapping = mapping, .build_id = ""});
  return opened.ok() && opened->found_by == FoundBy::kMapFiles;
}

TEST(MappingFileTest, OpensAFile) {
  const WorkFolder folder;
  const MappedPage page(folder.Write("data", "contents"));
  const ProcessMapping mapping = page.mapping();
  const auto opened = OpenMappingFile({.pid = getpid(), .mapping = mapping, .build_id = ""});
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(ReadStart(*opened), "contents");
}

TEST(MappingFileTest, OpensADeletedFileIfPermitted) {
  const WorkFolder folder;
  const std::string path = folder.Write("data", "contents");
  const MappedPage page(path);
  if (!MayUseMapFiles(page.mapping()))
    GTEST_SKIP() << "needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE";
  ASSERT_EQ(unlink(path.c_str()), 0);
  const ProcessMapping mapping = page.mapping();
  EXPECT_TRUE(mapping.is_deleted);
  EXPECT_EQ(mapping.path, path);
  const auto opened = OpenMappingFile({.pid = getpid(), .mapping = mapping, .build_id = ""});
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(ReadStart(*opened), "contents");
}

TEST(MappingFileTest, OpensAMemfdIfPermitted) {
  const int fd = memfd_create("code", MFD_CLOEXEC);
  ASSERT_EQ(write(fd, "in memory", 9), 9);
  const MappedPage page(fd);
  const ProcessMapping mapping = page.mapping();
  ASSERT_EQ(mapping.kind, MappingKind::kMemfd);
  const auto opened = OpenMappingFile({.pid = getpid(), .mapping = mapping, .build_id = ""});
  if (!opened.ok())
    GTEST_SKIP() << "needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE: " << opened.status();
  EXPECT_EQ(ReadStart(*opened), "in memory");
}

// Uses an unmapped range, so that map_files does not have the file.
ProcessMapping ByPathAlone(ProcessMapping mapping) {
  mapping.start = 0x1000;
  mapping.end = 0x2000;
  return mapping;
}

TEST(MappingFileTest, FindsAFileByItsPathInTheRootOfTheProcess) {
  const WorkFolder folder;
  const MappedPage page(folder.Write("with blank", "contents"));
  const ProcessMapping mapping = ByPathAlone(page.mapping());
  const auto opened = OpenMappingFile({.pid = getpid(), .mapping = mapping, .build_id = ""});
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(opened->found_by, FoundBy::kProcessRoot);
  EXPECT_EQ(ReadStart(*opened), "contents");
}

TEST(MappingFileTest, FindsAFileByItsPathAfterTheProcessIsGone) {
  const WorkFolder folder;
  const MappedPage page(folder.Write("data", "contents"));
  const ProcessMapping mapping = page.mapping();
  const auto opened = OpenMappingFile({.pid = 0x7ffffffe, .mapping = mapping, .build_id = ""});
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(opened->found_by, FoundBy::kPath);
}

TEST(MappingFileTest, RejectsAnotherFileAtThePath) {
  const WorkFolder folder;
  const MappedPage page(folder.Write("data", "contents"));
  const ProcessMapping mapping = ByPathAlone(page.mapping());
  folder.Write("other", "something else");
  ASSERT_TRUE(folder.Run("mv other data"));
  const auto opened = OpenMappingFile({.pid = getpid(), .mapping = mapping, .build_id = ""});
  EXPECT_EQ(opened.status().code(), absl::StatusCode::kFailedPrecondition) << opened.status();
}

TEST(MappingFileTest, BuildIdOverridesTheInode) {
  const auto outline = elf::ElfOutline::Read("/proc/self/exe");
  ASSERT_TRUE(outline.ok());
  const std::string id = elf::GnuBuildId(outline->file());
  ASSERT_FALSE(id.empty());
  const MappedPage page(open("/proc/self/exe", O_RDONLY));
  ProcessMapping mapping = ByPathAlone(page.mapping());
  mapping.file.inode ^= 1;
  EXPECT_TRUE(OpenMappingFile({.pid = getpid(), .mapping = mapping, .build_id = id}).ok());
  EXPECT_EQ(
      OpenMappingFile({.pid = getpid(), .mapping = mapping, .build_id = "00ff"}).status().code(),
      absl::StatusCode::kFailedPrecondition);
}

TEST(MappingFileTest, DoesNotWaitForAPipeInPlaceOfTheFile) {
  const WorkFolder folder;
  const MappedPage page(folder.Write("data", "contents"));
  const ProcessMapping mapping = ByPathAlone(page.mapping());
  ASSERT_TRUE(folder.Run("rm data && mkfifo data"));
  EXPECT_FALSE(OpenMappingFile({.pid = getpid(), .mapping = mapping, .build_id = ""}).ok());
}

TEST(MappingFileTest, RejectsMemoryWithoutAFile) {
  const ProcessMapping mapping = {.start = 0x1000, .end = 0x2000, .kind = MappingKind::kAnonymous};
  EXPECT_EQ(OpenMappingFile({.pid = getpid(), .mapping = mapping, .build_id = ""}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace flarestack::record::agent
