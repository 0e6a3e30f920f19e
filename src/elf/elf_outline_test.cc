// SPDX-License-Identifier: Apache-2.0
#include "elf/elf_outline.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "elf/build_id.h"
#include "elf/debug_files/debug_link.h"
#include "elf/htl_hash.h"
#include "elf/testing/compiled_program.h"
#include "elf/testing/elf_builder.h"
#include "elf/testing/own_files.h"

namespace flarestack::elf {
namespace {

using testing::ElfBuilder;
using testing::WorkFolder;

absl::StatusCode CodeOf(const std::string& path) { return ElfOutline::Read(path).status().code(); }

TEST(ElfOutlineTest, MatchesTheWholeFileForRealFiles) {
  const WorkFolder folder;
  const std::string own = testing::OwnProgramBytes();
  for (const std::string& path : {std::string("/proc/self/exe"), testing::CLibraryPath()}) {
    if (path.empty())
      continue;
    const auto outline = ElfOutline::Read(path);
    ASSERT_TRUE(outline.ok()) << path << ": " << outline.status();
    EXPECT_EQ(outline->htl_hash(), *HtlHashOfFile(path));
    EXPECT_FALSE(outline->is_debug_file());
    EXPECT_GT(outline->file().sections().size(), 10u);
  }
  const auto whole = ElfFile::Parse(own);
  const auto outline = ElfOutline::Read("/proc/self/exe");
  EXPECT_EQ(GnuBuildId(outline->file()), GnuBuildId(*whole));
  EXPECT_EQ(outline->file().sections().size(), whole->sections().size());
  EXPECT_EQ(outline->size_bytes(), own.size());
}

TEST(ElfOutlineTest, HasNotesAndLinksAfterTheHead) {
  ElfBuilder builder;
  builder.AddSection({.name = ".text", .flags = SHF_EXECINSTR, .bytes = std::string(1 << 20, 'c')});
  builder.AddSection({.name = ".note.gnu.build-id",
                      .type = SHT_NOTE,
                      .bytes = testing::Note("GNU", 3, "12345678")});
  builder.AddSection({.name = ".gnu_debuglink", .bytes = std::string("name\0\0\0\0abcd", 12)});
  const WorkFolder folder;
  const auto outline = ElfOutline::Read(folder.Write("file", builder.Build()));
  ASSERT_TRUE(outline.ok()) << outline.status();
  EXPECT_EQ(GnuBuildId(outline->file()), "3132333435363738");
  EXPECT_EQ(ReadDebugLink(outline->file())->file_name, "name");
  // Unneeded parts are not read.
  const Section* text = outline->file().FindSection(".text");
  EXPECT_EQ(outline->file().SectionBytes(*text).back(), '\0');
}

TEST(ElfOutlineTest, RecognisesDebugFilesByTheirMissingCode) {
  const WorkFolder folder;
  ElfBuilder debug;
  debug.AddSection({.name = ".text",
                    .type = SHT_NOBITS,
                    .flags = SHF_ALLOC | SHF_EXECINSTR,
                    .nobits_bytes = 100});
  EXPECT_TRUE(ElfOutline::Read(folder.Write("debug", debug.Build()))->is_debug_file());
  ElfBuilder shared;
  shared.AddSection({.name = ".debug_info", .bytes = "x"});
  EXPECT_TRUE(ElfOutline::Read(folder.Write("shared", shared.Build()))->is_debug_file());
}

TEST(ElfOutlineTest, RejectsMissingAndNonElfFiles) {
  const WorkFolder folder;
  EXPECT_EQ(CodeOf(folder.Path("none")), absl::StatusCode::kNotFound);
  EXPECT_EQ(CodeOf(folder.path()), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf(folder.Write("empty", "")), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf(folder.Write("text", "text")), absl::StatusCode::kInvalidArgument);
  ASSERT_EQ(mkfifo(folder.Path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(CodeOf(folder.Path("fifo")), absl::StatusCode::kInvalidArgument);
}

TEST(ElfOutlineTest, SurvivesEveryBrokenHeader) {
  ElfBuilder builder;
  builder.AddSection({.name = ".note.gnu.build-id",
                      .type = SHT_NOTE,
                      .bytes = testing::Note("GNU", 3, "12345678")});
  const std::string sound = builder.Build();
  const WorkFolder folder;
  for (size_t offset = 16; offset < 64; ++offset) {
    for (const uint8_t byte : {uint8_t{0}, uint8_t{0x7f}, uint8_t{0xff}}) {
      std::string broken = sound;
      testing::Poke(&broken, offset, byte);
      const auto outline = ElfOutline::Read(folder.Write("broken", broken));
      const auto whole = ElfFile::Parse(broken);
      ASSERT_EQ(outline.ok(), whole.ok()) << offset;
      if (!whole.ok())
        continue;
      EXPECT_EQ(GnuBuildId(outline->file()), GnuBuildId(*whole)) << offset;
    }
  }
  for (size_t size = 1; size < sound.size(); size += 7)
    ElfOutline::Read(folder.Write("short", sound.substr(0, size))).status().IgnoreError();
}

}  // namespace
}  // namespace flarestack::elf
