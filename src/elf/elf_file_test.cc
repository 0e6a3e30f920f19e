// SPDX-License-Identifier: Apache-2.0
#include "elf/elf_file.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/compress/compress.h"
#include "base/file/file.h"
#include "base/status.h"
#include "elf/testing/elf_builder.h"
#include "elf/testing/own_files.h"

namespace flarestack::elf {
namespace {

using testing::Append;
using testing::ElfBuilder;
using ::testing::HasSubstr;
using testing::Poke;

constexpr size_t kSegmentsOffsetAt = 32;
constexpr size_t kSectionsOffsetAt = 40;
constexpr size_t kSegmentCountAt = 56;
constexpr size_t kSectionCountAt = 60;
constexpr size_t kNamesIndexAt = 62;

std::string TextFile() {
  ElfBuilder builder(EM_AARCH64, ET_EXEC);
  const size_t text = builder.AddSection({.name = ".text",
                                          .flags = SHF_ALLOC | SHF_EXECINSTR,
                                          .address = 0x401000,
                                          .bytes = "some code"});
  builder.AddSegmentOver(text, PT_LOAD, PF_R | PF_X);
  return builder.Build();
}

uint64_t SectionsOffset(const std::string& file) {
  uint64_t offset = 0;
  for (size_t i = 8; i-- > 0;)
    offset = offset << 8 | static_cast<uint8_t>(file[kSectionsOffsetAt + i]);
  return offset;
}

std::string CompressionHeader(uint32_t type, uint64_t size) {
  std::string header;
  Append(type, &header);
  Append(uint32_t{0}, &header);
  Append(size, &header);
  Append(uint64_t{1}, &header);
  return header;
}

TEST(ElfFile, ReadsHeaderSegmentsAndSections) {
  const std::string bytes = TextFile();
  const auto file = ElfFile::Parse(bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->machine(), EM_AARCH64);
  EXPECT_EQ(file->type(), ET_EXEC);
  ASSERT_EQ(file->segments().size(), 1u);
  EXPECT_TRUE(file->segments()[0].is_executable());
  EXPECT_EQ(file->SegmentBytes(file->segments()[0]), "some code");
  ASSERT_EQ(file->sections().size(), 3u);
  const Section* text = file->FindSection(".text");
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(text->address, 0x401000u);
  EXPECT_EQ(file->SectionBytes(*text), "some code");
  EXPECT_EQ(file->Contents(*text, 9)->view(), "some code");
  EXPECT_EQ(file->FindSection(".data"), nullptr);
  EXPECT_EQ(file->FindSectionOfType(SHT_PROGBITS), text);
  EXPECT_EQ(file->FindSectionOfType(SHT_SYMTAB), nullptr);
  EXPECT_EQ(file->BytesFromAddress(0x401005), "code");
  EXPECT_EQ(file->BytesFromAddress(0x401009), "");
  EXPECT_EQ(file->BytesFromAddress(0x400fff), "");
  EXPECT_EQ(file->section_note(), "");
}

TEST(ElfFile, ReportsWhyItCannotReadAFile) {
  EXPECT_EQ(base::Message(ElfFile::Parse("").status()), "not an ELF file");
  EXPECT_EQ(base::Message(ElfFile::Parse("#!/bin/sh").status()), "not an ELF file");
  std::string bytes = TextFile();
  EXPECT_THAT(base::Message(ElfFile::Parse(std::string_view(bytes).substr(0, 63)).status()),
              HasSubstr("truncated"));
  bytes[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(ElfFile::Parse(bytes).status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(base::Message(ElfFile::Parse(bytes).status()), HasSubstr("32-bit"));
  bytes[EI_CLASS] = ELFCLASS64;
  bytes[EI_DATA] = ELFDATA2MSB;
  EXPECT_EQ(ElfFile::Parse(bytes).status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(base::Message(ElfFile::Parse(bytes).status()), HasSubstr("big-endian"));
}

TEST(ElfFile, RejectsProgramHeadersOutsideTheFile) {
  for (const uint64_t offset : {uint64_t{1} << 20, ~uint64_t{0}, ~uint64_t{0} - 55}) {
    std::string bytes = TextFile();
    Poke(&bytes, kSegmentsOffsetAt, offset);
    EXPECT_THAT(base::Message(ElfFile::Parse(bytes).status()), HasSubstr("program headers"));
  }
  std::string bytes = TextFile();
  Poke(&bytes, kSegmentCountAt, uint16_t{1000});
  EXPECT_THAT(base::Message(ElfFile::Parse(bytes).status()), HasSubstr("program headers"));
}

TEST(ElfFile, WorksWithoutABrokenSectionTable) {
  for (const uint64_t offset : {uint64_t{0}, uint64_t{1} << 20, ~uint64_t{0}}) {
    std::string bytes = TextFile();
    Poke(&bytes, kSectionsOffsetAt, offset);
    const auto file = ElfFile::Parse(bytes);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_TRUE(file->sections().empty());
    EXPECT_NE(file->section_note(), "");
    EXPECT_EQ(file->segments().size(), 1u);
  }
}

TEST(ElfFile, WorksWithoutSectionNames) {
  std::string bytes = TextFile();
  Poke(&bytes, kNamesIndexAt, uint16_t{77});
  const auto file = ElfFile::Parse(bytes);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->sections().size(), 3u);
  EXPECT_EQ(file->sections()[1].name, "");
  EXPECT_THAT(std::string(file->section_note()), HasSubstr("77"));
}

TEST(ElfFile, ReadsExtendedCountsFromSectionZero) {
  std::string bytes = TextFile();
  const uint64_t zero = SectionsOffset(bytes);
  Poke(&bytes, kSectionCountAt, uint16_t{0});
  Poke(&bytes, zero + 32, uint64_t{3});
  Poke(&bytes, kNamesIndexAt, uint16_t{SHN_XINDEX});
  Poke(&bytes, zero + 40, uint32_t{2});
  Poke(&bytes, kSegmentCountAt, uint16_t{PN_XNUM});
  Poke(&bytes, zero + 44, uint32_t{1});
  const auto file = ElfFile::Parse(bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->sections().size(), 3u);
  EXPECT_NE(file->FindSection(".text"), nullptr);
  EXPECT_EQ(file->segments().size(), 1u);

  Poke(&bytes, zero + 32, ElfFile::kSectionsMax + 1);
  Poke(&bytes, kSegmentCountAt, uint16_t{1});
  const auto too_many = ElfFile::Parse(bytes);
  ASSERT_TRUE(too_many.ok()) << too_many.status();
  EXPECT_TRUE(too_many->sections().empty());
  EXPECT_THAT(std::string(too_many->section_note()), HasSubstr("the limit is 1048576"));
}

TEST(ElfFile, SectionsBeyondTheEndOfTheFileHaveNoBytes) {
  std::string bytes = TextFile();
  Poke(&bytes, SectionsOffset(bytes) + 64 + 32, ~uint64_t{0});
  const auto file = ElfFile::Parse(bytes);
  ASSERT_TRUE(file.ok());
  const Section* text = file->FindSection(".text");
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(file->SectionBytes(*text), "");
  EXPECT_EQ(file->Contents(*text, ~uint64_t{0}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(ElfFile, DebugFileSectionsWithoutBytesAreEmpty) {
  ElfBuilder builder;
  builder.AddSection({.name = ".text", .type = SHT_NOBITS, .nobits_bytes = 1 << 30});
  const std::string bytes = builder.Build();
  const auto file = ElfFile::Parse(bytes);
  ASSERT_TRUE(file.ok());
  const auto contents = file->Contents(*file->FindSection(".text"), 10);
  ASSERT_TRUE(contents.ok()) << contents.status();
  EXPECT_EQ(contents->view(), "");
}

TEST(ElfFile, DecompressesSections) {
  const std::string text(100'000, 'x');
  ElfBuilder builder;
  builder.AddSection({.name = ".debug_info",
                      .flags = SHF_COMPRESSED,
                      .bytes = CompressionHeader(1, text.size()) + base::Deflate(text)});
  builder.AddSection({.name = ".debug_line",
                      .flags = SHF_COMPRESSED,
                      .bytes = CompressionHeader(2, text.size()) + base::Zstd(text)});
  std::string legacy = "ZLIB";
  legacy += std::string(5, '\0') + "\x01\x86\xa0";
  builder.AddSection({.name = ".zdebug_str", .bytes = legacy + base::Deflate(text)});
  const std::string bytes = builder.Build();
  const auto file = ElfFile::Parse(bytes);
  ASSERT_TRUE(file.ok());
  for (const std::string_view name : {".debug_info", ".debug_line", ".debug_str"}) {
    const Section* section = file->FindSection(name);
    ASSERT_NE(section, nullptr) << name;
    const auto contents = file->Contents(*section, text.size());
    ASSERT_TRUE(contents.ok()) << contents.status();
    EXPECT_TRUE(contents->is_owned());
    EXPECT_EQ(contents->view(), text) << name;
    const auto capped = file->Contents(*section, text.size() - 1);
    EXPECT_EQ(capped.status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(base::Message(capped.status()), HasSubstr("would be 100000 bytes"));
  }
}

TEST(ElfFile, NamesTheSectionWithDamagedCompression) {
  const std::string packed = base::Deflate(std::string(1000, 'x'));
  const std::vector<std::string> damaged = {
      "short",
      CompressionHeader(9, 1000) + packed,
      CompressionHeader(1, 1000) + "no zlib",
      CompressionHeader(1, 999) + packed,
      CompressionHeader(1, 1001) + packed,
      CompressionHeader(2, 1000) + packed,
      CompressionHeader(1, uint64_t{1} << 40) + packed,
  };
  for (const std::string& bytes : damaged) {
    ElfBuilder builder;
    builder.AddSection({.name = ".debug_info", .flags = SHF_COMPRESSED, .bytes = bytes});
    builder.AddSection({.name = ".zdebug_line", .bytes = bytes});
    const std::string built = builder.Build();
    const auto file = ElfFile::Parse(built);
    ASSERT_TRUE(file.ok());
    for (const std::string_view name : {".debug_info", ".debug_line"}) {
      const auto contents = file->Contents(*file->FindSection(name), uint64_t{1} << 41);
      ASSERT_FALSE(contents.ok());
      EXPECT_THAT(base::Message(contents.status()), HasSubstr("section .")) << contents.status();
    }
  }
}

TEST(ElfFile, LimitsTheLengthOfNames) {
  ElfBuilder builder;
  builder.AddSection({.name = std::string(10'000, 'n')});
  const std::string bytes = builder.Build();
  EXPECT_EQ(ElfFile::Parse(bytes)->sections()[1].name.size(), ElfFile::kSectionNameBytesMax);
}

TEST(ElfFile, ReadsOrRejectsEveryTruncation) {
  const std::string whole = TextFile();
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string bytes = whole.substr(0, size);
    const auto file = ElfFile::Parse(bytes);
    EXPECT_TRUE(!file.ok() || file->sections().empty()) << size;
  }
}

TEST(ElfFile, ReadsItsOwnProgramAndTheCLibrary) {
  const std::string own = testing::OwnProgramBytes();
  const auto file = ElfFile::Parse(own);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->section_note(), "");
  const Section* text = file->FindSection(".text");
  ASSERT_NE(text, nullptr);
  // The same bytes by section and by segment.
  EXPECT_TRUE(file->BytesFromAddress(text->address).starts_with(file->SectionBytes(*text)));
  const std::string path = testing::CLibraryPath();
  if (path.empty())
    GTEST_SKIP() << "no libc.so.6 is mapped";
  const auto library = base::ReadFile(path, 1 << 28);
  ASSERT_TRUE(library.ok());
  const auto library_file = ElfFile::Parse(*library);
  ASSERT_TRUE(library_file.ok()) << library_file.status();
  EXPECT_NE(library_file->FindSection(".dynsym"), nullptr);
  EXPECT_EQ(library_file->type(), ET_DYN);
}

}  // namespace
}  // namespace flarestack::elf
