// SPDX-License-Identifier: Apache-2.0
#include "elf/debug_files/debug_link.h"

#include <elf.h>
#include <gtest/gtest.h>

#include "elf/debug_files/mini_debug_info.h"
#include "elf/debug_files/xz.h"
#include "elf/elf_symbols.h"
#include "elf/testing/elf_builder.h"
#include "elf/testing/xz_pack.h"

namespace flarestack::elf {
namespace {

using absl::StatusCode;
using testing::ElfBuilder;
using testing::XzPack;

std::string FileWith(const std::string& section, const std::string& contents) {
  ElfBuilder builder;
  builder.AddSection({.name = section, .bytes = contents});
  return builder.Build();
}

std::string LinkTo(std::string name, uint32_t crc) {
  name.push_back('\0');
  while (name.size() % 4 != 0)
    name.push_back('\0');
  testing::Append(crc, &name);
  return name;
}

TEST(DebugLink, HasANameAndAChecksum) {
  for (const std::string name : {"a", "abc", "abcd", "libfoo.so.1.debug"}) {
    const std::string bytes = FileWith(".gnu_debuglink", LinkTo(name, 0xcbf43926));
    const auto file = ElfFile::Parse(bytes);
    const auto link = ReadDebugLink(*file);
    ASSERT_TRUE(link.ok()) << link.status();
    EXPECT_EQ(link->file_name, name);
    // The standard check value of this CRC is over these nine digits.
    EXPECT_TRUE(IsLinked(*link, "123456789"));
    EXPECT_FALSE(IsLinked(*link, "12345678"));
  }
}

TEST(DebugLink, RejectsUnsafeNames) {
  for (const std::string& name :
       {std::string(), std::string("/etc/passwd"), std::string("../x"), std::string("a/b"),
        std::string("."), std::string(".."), std::string(256, 'n')}) {
    const std::string bytes = FileWith(".gnu_debuglink", LinkTo(name, 0));
    EXPECT_EQ(ReadDebugLink(*ElfFile::Parse(bytes)).status().code(), StatusCode::kInvalidArgument)
        << name;
  }
}

TEST(DebugLink, DistinguishesTruncatedFromMissing) {
  const std::string whole = LinkTo("name.debug", 1);
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string bytes = FileWith(".gnu_debuglink", whole.substr(0, size));
    EXPECT_EQ(ReadDebugLink(*ElfFile::Parse(bytes)).status().code(), StatusCode::kInvalidArgument);
  }
  const std::string none = FileWith(".text", "");
  EXPECT_EQ(ReadDebugLink(*ElfFile::Parse(none)).status().code(), StatusCode::kNotFound);
  const std::string long_link = FileWith(".gnu_debuglink", std::string((16 << 10) + 1, 'x'));
  EXPECT_EQ(ReadDebugLink(*ElfFile::Parse(long_link)).status().code(),
            StatusCode::kResourceExhausted);
}

TEST(DebugAltLink, HasANameAndABuildId) {
  const std::string bytes =
      FileWith(".gnu_debugaltlink", std::string("../.dwz/shared\0\x01\xab", 17));
  const auto link = ReadDebugAltLink(*ElfFile::Parse(bytes));
  ASSERT_TRUE(link.ok()) << link.status();
  EXPECT_EQ(link->file_name, "../.dwz/shared");
  EXPECT_EQ(link->build_id, "01ab");
  for (const std::string& bad : {std::string("no end"), std::string("no id\0", 6),
                                 std::string("long id\0", 8) + std::string(65, 'x')}) {
    const std::string damaged = FileWith(".gnu_debugaltlink", bad);
    EXPECT_EQ(ReadDebugAltLink(*ElfFile::Parse(damaged)).status().code(),
              StatusCode::kInvalidArgument);
  }
}

TEST(Xz, ReadsStreamsUpToTheLimit) {
  const std::string text(300'000, 'x');
  const std::string packed = XzPack(text);
  EXPECT_TRUE(LooksLikeXz(packed));
  EXPECT_EQ(*Unxz(packed), text);
  EXPECT_EQ(*Unxz(packed, {.bytes_max = text.size()}), text);
  EXPECT_EQ(Unxz(packed, {.bytes_max = text.size() - 1}).status().code(),
            StatusCode::kResourceExhausted);
  EXPECT_EQ(*Unxz(packed + packed), text + text);
  EXPECT_EQ(*Unxz(XzPack("")), "");
  EXPECT_EQ(*Unxz(XzPack(""), {.bytes_max = 0}), "");
}

TEST(Xz, RespectsTheMemoryLimit) {
  const std::string packed = XzPack("text", 9);
  EXPECT_TRUE(Unxz(packed).ok());
  EXPECT_EQ(Unxz(packed, {.memory_bytes_max = 1 << 20}).status().code(),
            StatusCode::kResourceExhausted);
}

TEST(Xz, RejectsDamagedData) {
  const std::string packed = XzPack("some text that is packed");
  for (size_t size = 0; size < packed.size(); ++size)
    EXPECT_EQ(Unxz(packed.substr(0, size)).status().code(), StatusCode::kInvalidArgument) << size;
  EXPECT_FALSE(Unxz(packed + "garbage").ok());
  EXPECT_FALSE(Unxz("no xz").ok());
}

TEST(MiniDebugInfo, ReturnsTheEmbeddedFile) {
  ElfBuilder inner;
  const size_t text = inner.AddSection({.name = ".text",
                                        .type = SHT_NOBITS,
                                        .flags = SHF_ALLOC | SHF_EXECINSTR,
                                        .address = 0x1000,
                                        .nobits_bytes = 0x100});
  inner.AddSymbols(".symtab", {{.name = "hidden", .address = 0x1000, .section = text}});
  const std::string inner_bytes = inner.Build();
  const std::string bytes = FileWith(".gnu_debugdata", XzPack(inner_bytes));
  const auto file = ElfFile::Parse(bytes);
  const auto found = ReadMiniDebugInfo(*file);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, inner_bytes);
  EXPECT_EQ(ReadFunctionSymbols(*ElfFile::Parse(*found))->at(0),
            (ElfSymbol{.begin = 0x1000, .end = 0x1100, .name = "hidden"}));
  EXPECT_EQ(ReadMiniDebugInfo(*file, inner_bytes.size() - 1).status().code(),
            StatusCode::kResourceExhausted);
}

TEST(MiniDebugInfo, DistinguishesMissingFromDamaged) {
  const std::string none = FileWith(".text", "");
  EXPECT_EQ(ReadMiniDebugInfo(*ElfFile::Parse(none)).status().code(), StatusCode::kNotFound);
  for (const std::string& contents : {std::string("no xz"), XzPack("no ELF file"), std::string()}) {
    const std::string bytes = FileWith(".gnu_debugdata", contents);
    EXPECT_EQ(ReadMiniDebugInfo(*ElfFile::Parse(bytes)).status().code(),
              StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace flarestack::elf
