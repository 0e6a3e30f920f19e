// SPDX-License-Identifier: Apache-2.0
#include "elf/build_id.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/text/encoding.h"
#include "elf/htl_hash.h"
#include "elf/testing/elf_builder.h"
#include "elf/testing/own_files.h"

namespace flarestack::elf {
namespace {

using testing::ElfBuilder;
using testing::Note;

const std::string kId = *base::HexDecode("0123456789abcdef0123456789abcdef01234567");
const std::string kIdText = "0123456789abcdef0123456789abcdef01234567";

TEST(GnuBuildId, IsFoundInSectionsAndSegmentsAfterOtherNotes) {
  const std::string notes = Note("GNU", 1, std::string(16, 'a')) + Note("stapsdt", 3, "x") +
                            Note("GNU", 3, kId) + Note("GNU", 3, "second");
  for (const bool has_segment : {false, true}) {
    ElfBuilder builder;
    const size_t section =
        builder.AddSection({.name = ".note",
                            .type = has_segment ? uint32_t{SHT_PROGBITS} : uint32_t{SHT_NOTE},
                            .bytes = notes,
                            .alignment = 4});
    if (has_segment)
      builder.AddSegment({.type = PT_NOTE});
    builder.AddSegmentOver(section, has_segment ? PT_NOTE : PT_LOAD, PF_R);
    const std::string bytes = builder.Build();
    EXPECT_EQ(GnuBuildId(*ElfFile::Parse(bytes)), kIdText) << has_segment;
  }
}

TEST(GnuBuildId, SectionWinsOverStaleProgramHeaders) {
  ElfBuilder builder;
  const size_t stale = builder.AddSection({.name = ".data", .bytes = Note("GNU", 3, "stale")});
  builder.AddSegmentOver(stale, PT_NOTE, PF_R);
  builder.AddSection(
      {.name = ".note.gnu.build-id", .type = SHT_NOTE, .bytes = Note("GNU", 3, kId)});
  const std::string bytes = builder.Build();
  EXPECT_EQ(GnuBuildId(*ElfFile::Parse(bytes)), kIdText);
}

TEST(GnuBuildId, IsReadFromKernelNotes) {
  EXPECT_EQ(GnuBuildIdOfNotes(Note("Linux", 0x100, "x") + Note("GNU", 3, kId)), kIdText);
  EXPECT_EQ(GnuBuildIdOfNotes(Note("GNU", 3, "\x12\x34\x56\x78\x9a\xbc\xde\xf0")),
            "123456789abcdef0");
  EXPECT_EQ(GnuBuildIdOfNotes(""), "");
}

TEST(GnuBuildId, DamagedAndOverlongNotesHaveNone) {
  const std::string note = Note("GNU", 3, kId);
  for (size_t size = 0; size < note.size(); ++size)
    EXPECT_EQ(GnuBuildIdOfNotes(note.substr(0, size)), "") << size;
  std::string wrapping = note;
  testing::Poke(&wrapping, 0, ~uint32_t{0});
  EXPECT_EQ(GnuBuildIdOfNotes(wrapping), "");
  EXPECT_EQ(GnuBuildIdOfNotes(Note("GNU", 3, std::string(65, 'x'))), "");
  EXPECT_EQ(GnuBuildIdOfNotes(Note("GNU", 3, std::string(64, 'x'))).size(), 128u);
}

TEST(Notes, PaddingFollowsTheAlignmentOfEight) {
  // 12 bytes of header and 8 of owner end at 20; the description begins at 24.
  std::string notes;
  testing::Append(uint32_t{6}, &notes);
  testing::Append(uint32_t{3}, &notes);
  testing::Append(uint32_t{9}, &notes);
  notes += std::string("Owner\0\0\0", 8) + std::string(4, '\0') + "abc" + std::string(5, '\0');
  notes += notes;
  EXPECT_EQ(FindNote(notes, {.owner = "Owner", .type = 9}, 8), "abc");
  EXPECT_EQ(FindNote(notes, {.owner = "Owner", .type = 9}, 4), std::string_view("\0\0\0", 3));
}

TEST(GoBuildId, KeepsItsTextUnchanged) {
  ElfBuilder builder;
  const std::string id = "aXy_-1/bcD/eF/gh";
  builder.AddSection({.name = ".note.go.buildid", .type = SHT_NOTE, .bytes = Note("Go", 4, id)});
  const std::string bytes = builder.Build();
  EXPECT_EQ(GoBuildId(*ElfFile::Parse(bytes)), id);
  EXPECT_EQ(GnuBuildId(*ElfFile::Parse(bytes)), "");
  EXPECT_FALSE(IsSafeBuildId(id));
}

TEST(GoBuildId, RejectsControlCharactersAndOverlongText) {
  for (const std::string& id : {std::string("a\nb"), std::string(1025, 'a'), std::string("a b")}) {
    ElfBuilder builder;
    builder.AddSection({.name = ".note.go.buildid", .type = SHT_NOTE, .bytes = Note("Go", 4, id)});
    const std::string bytes = builder.Build();
    EXPECT_EQ(GoBuildId(*ElfFile::Parse(bytes)), "");
  }
}

TEST(SafeBuildId, CannotEscapeADirectory) {
  EXPECT_TRUE(IsSafeBuildId(kIdText));
  EXPECT_TRUE(IsSafeBuildId("Az09_-"));
  EXPECT_TRUE(IsSafeBuildId(std::string(256, 'a')));
  for (const std::string& id :
       {std::string(), std::string(".."), std::string("a/b"), std::string("a.b"),
        std::string("a\0b", 3), std::string("ä"), std::string(257, 'a')})
    EXPECT_FALSE(IsSafeBuildId(id)) << id;
}

TEST(HtlHash, MatchesTheSpecification) {
  EXPECT_EQ(HtlHash(""), "af5570f5a1810b7af78caf4bc70a660f");
  EXPECT_EQ(HtlHash("abc"), "a7e79e8a85da69bad5c3fea209342ac9");
  EXPECT_EQ(HtlHash(std::string(4096, '\0')), "0c629a4247c82cd3347322ee4e7f7d7f");
  std::string counted;
  for (int i = 0; i < 10'000; ++i)
    counted.push_back(static_cast<char>(i % 251));
  EXPECT_EQ(HtlHash(counted), "29e3194e821b97b5565d43a5156ad97a");
  std::string all;
  for (int i = 0; i < 8192; ++i)
    all.push_back(static_cast<char>(i));
  EXPECT_EQ(HtlHash(all), "18db0dcc5a0e6a57e1a1718a5fb2efdc");
}

TEST(HtlHash, HashOfAFileIsThatOfItsBytes) {
  const auto hash = HtlHashOfFile("/proc/self/exe");
  ASSERT_TRUE(hash.ok()) << hash.status();
  EXPECT_EQ(*hash, HtlHash(testing::OwnProgramBytes()));
}

TEST(HtlHash, RejectsAnythingButARegularFile) {
  EXPECT_EQ(HtlHashOfFile("/nonexistent").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(HtlHashOfFile("/dev/null").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(HtlHashOfFile("/").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(HtlHashOfDescriptor(-1).ok());
}

TEST(GnuBuildId, MatchesReadelfForTheCLibrary) {
  const std::string path = testing::CLibraryPath();
  const std::string notes = testing::OutputOf("readelf -n " + path);
  const size_t at = notes.find("Build ID: ");
  if (path.empty() || at == std::string::npos)
    GTEST_SKIP() << "no readelf, or no build id in the C library";
  const std::string expected = notes.substr(at + 10, notes.find('\n', at) - at - 10);
  const auto bytes = base::ReadFile(path, 1 << 28);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(GnuBuildId(*ElfFile::Parse(*bytes)), expected);
}

}  // namespace
}  // namespace flarestack::elf
