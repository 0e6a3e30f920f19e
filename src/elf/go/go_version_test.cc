// SPDX-License-Identifier: Apache-2.0
#include "elf/go/go_version.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <string>

#include "elf/testing/elf_builder.h"

namespace flarestack::elf {
namespace {

std::string BuildInfo(char flags, const std::string& text) {
  std::string info = "\xff Go buildinf:";
  info.push_back('\x08');
  info.push_back(flags);
  info.resize(32);
  return info + static_cast<char>(text.size()) + text;
}

std::string VersionIn(const std::string& info, bool has_sections = true) {
  testing::ElfBuilder builder(EM_X86_64, ET_EXEC);
  const size_t section = builder.AddSection({.name = ".go.buildinfo",
                                             .flags = SHF_ALLOC | SHF_WRITE,
                                             .address = 0x500000,
                                             .bytes = info});
  builder.AddSegmentOver(section, PT_LOAD, PF_R | PF_W);
  std::string bytes = builder.Build();
  if (!has_sections) {
    testing::Poke(&bytes, offsetof(Elf64_Ehdr, e_shoff), uint64_t{0});
    testing::Poke(&bytes, offsetof(Elf64_Ehdr, e_shnum), uint16_t{0});
  }
  const auto file = ElfFile::Parse(bytes);
  EXPECT_TRUE(file.ok()) << file.status();
  const auto version = GoVersionOf(*file);
  return version.ok() ? std::string(*version) : std::string(version.status().message());
}

TEST(GoVersionTest, ReadsTheBuildInformation) {
  EXPECT_EQ(VersionIn(BuildInfo(2, "go1.26.8")), "go1.26.8");
  EXPECT_EQ(VersionIn(BuildInfo(2, "go1.26.8"), /*has_sections=*/false), "go1.26.8");
}

TEST(GoVersionTest, RejectsOldAndCorruptInformation) {
  EXPECT_EQ(VersionIn("other"), "not a Go program");
  EXPECT_EQ(VersionIn(BuildInfo(0, "go1.17")), "a Go program from before 1.18");
  EXPECT_EQ(VersionIn(BuildInfo(2, "go1.26.8").substr(0, 36)), "a Go version that is not text");
  EXPECT_EQ(VersionIn(BuildInfo(2, "go1.26.8").substr(0, 20)), "Go build information of 20 bytes");
  EXPECT_EQ(VersionIn(BuildInfo(2, "go\xff")), "a Go version that is not text");
  EXPECT_EQ(VersionIn(BuildInfo(2, "") + std::string(8, '\xff')), "a Go version that is not text");
}

TEST(GoVersionTest, FindsTheMinorVersionOfReleases) {
  EXPECT_EQ(GoMinorVersion("go1.26.8"), 26);
  EXPECT_EQ(GoMinorVersion("go1.18"), 18);
  EXPECT_EQ(GoMinorVersion("go1.26.8 X:nodwarf5"), 26);
  EXPECT_EQ(GoMinorVersion("go1.21.3-X"), 21);
  for (const char* const other : {"", "go1.", "go2.1", "go1.27rc1", "go1.22beta1", "go1.26-1234",
                                  "devel go1.27-0e1", "go1.99999999999", "go1.26."})
    EXPECT_EQ(GoMinorVersion(other), std::nullopt) << other;
}

}  // namespace
}  // namespace flarestack::elf
