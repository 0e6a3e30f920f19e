// SPDX-License-Identifier: Apache-2.0
#include "symbol/table/symbol_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "base/text/text.h"
#include "symbol/table/table_writer.h"
#include "symbol/testing/table_text.h"

namespace flarestack::symbol {
namespace {

using elf::CodeRange;
using elf::SourceFrame;
using testing::AddText;
using testing::FrameText;
using testing::TableText;

std::string Written(std::string_view ranges, Quality quality = Quality::kDwarf) {
  TableWriter writer;
  AddText(ranges, quality, &writer);
  auto bytes = writer.Finish();
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return *bytes;
}

SymbolTable Opened(std::string_view bytes) {
  auto table = SymbolTable::Open(bytes);
  EXPECT_TRUE(table.ok()) << table.status();
  EXPECT_TRUE(table->VerifyChecksums().ok());
  return *std::move(table);
}

TEST(SymbolTableTest, AddressHasItsWholeInlineChain) {
  const std::string bytes = Written(R"(
    100 110  main main.c:5:3
    110 120  step walk.h:9:1 < walk walk.h:20:7 < main main.c:6:2
    130 140  other other.c:1
  )");
  const SymbolTable table = Opened(bytes);
  CodeAt code;
  ASSERT_TRUE(table.Find(0x11f, &code));
  EXPECT_EQ(FrameText(code.frames()), "step walk.h:9:1 < walk walk.h:20:7 < main main.c:6:2");
  EXPECT_EQ(code.begin(), 0x110u);
  EXPECT_EQ(code.end(), 0x120u);
  EXPECT_EQ(code.quality(), Quality::kDwarf);
  ASSERT_TRUE(table.Find(0x100, &code));
  EXPECT_EQ(FrameText(code.frames()), "main main.c:5:3");
}

TEST(SymbolTableTest, AddressesOutsideFunctionsHaveNone) {
  const std::string bytes = Written(R"(
    100 110  a a.c:1
    120 130  b b.c:1
  )");
  const SymbolTable table = Opened(bytes);
  CodeAt code;
  for (const uint64_t address : {0x0ull, 0xffull, 0x110ull, 0x11full, 0x130ull, ~0ull}) {
    EXPECT_FALSE(table.Find(address, &code)) << base::Hex(address);
    EXPECT_TRUE(code.frames().empty());
  }
  EXPECT_TRUE(table.Find(0x12f, &code));
}

TEST(SymbolTableTest, KeepsTheStartLineOfAFunction) {
  TableWriter writer;
  const SourceFrame frame = {.function = "_ZN4main",
                             .file = "m.cc",
                             .line = 4'000'000'000,
                             .column = 90'000,
                             .start_line = 77};
  ASSERT_TRUE(writer.Add({.begin = 1, .end = 2, .frames = {&frame, 1}}, Quality::kDwarf).ok());
  // As high as the address of kernel code.
  ASSERT_TRUE(
      writer.Add({.begin = ~0ull - 9, .end = ~0ull, .frames = {&frame, 1}}, Quality::kDwarf).ok());
  const std::string bytes = *writer.Finish();
  const SymbolTable table = Opened(bytes);
  CodeAt code;
  EXPECT_FALSE(table.Find(1ull << 63, &code));
  ASSERT_TRUE(table.Find(~0ull - 1, &code));
  EXPECT_EQ(code.frames()[0], frame);
}

TEST(SymbolTableTest, EmptyTableFindsNothing) {
  const std::string bytes = Written("");
  const SymbolTable table = Opened(bytes);
  CodeAt code;
  EXPECT_FALSE(table.Find(0, &code));
  EXPECT_EQ(table.range_count(), 0u);
}

TEST(SymbolTableTest, KeepsIdsAndMachine) {
  TableWriter writer;
  writer.SetMachine(62);
  writer.AddId({IdKind::kHtlHash, "0123"});
  writer.AddId({IdKind::kGnu, "abcdef"});
  writer.AddId({IdKind::kGo, "Go/id"});
  const std::string bytes = *writer.Finish();
  const SymbolTable table = Opened(bytes);
  EXPECT_EQ(table.machine(), 62);
  EXPECT_THAT(table.ids(),
              ::testing::ElementsAre(FileId{IdKind::kGnu, "abcdef"}, FileId{IdKind::kGo, "Go/id"},
                                     FileId{IdKind::kHtlHash, "0123"}));
}

// Thousands of ranges with random lengths, gaps and chains, in more than one block.
std::vector<std::pair<CodeRange, std::vector<SourceFrame>>> RandomRanges(
    const std::vector<std::string>& names, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::pair<CodeRange, std::vector<SourceFrame>>> ranges(5'000);
  uint64_t address = 0x400000;
  for (auto& [range, frames] : ranges) {
    address += random() % 4 == 0 ? random() % 300 : 0;
    range.begin = address;
    address += 1 + random() % 60;
    range.end = address;
    frames.resize(1 + random() % 5);
    for (SourceFrame& frame : frames) {
      const size_t name = random() % names.size();
      frame = {.function = names[name],
               .file = names[name / 2],
               .line = static_cast<uint32_t>(random() % 3'000),
               .column = static_cast<uint32_t>(random() % 80),
               .start_line = static_cast<uint32_t>(name)};
    }
    range.frames = frames;
  }
  return ranges;
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i)
    names.push_back(base::StrCat("name_", i * i));
  return names;
}

TEST(SymbolTableTest, FindsEveryRangeInAnyLookupOrder) {
  const std::vector<std::string> names = Names();
  const auto ranges = RandomRanges(names, 3);
  TableWriter writer;
  for (const auto& [range, frames] : ranges)
    ASSERT_TRUE(writer.Add(range, Quality::kGoPclntab).ok());
  const std::string bytes = *writer.Finish();
  const SymbolTable table = Opened(bytes);
  std::vector<uint64_t> addresses;
  std::vector<size_t> owners;
  for (size_t i = 0; i < ranges.size(); ++i) {
    addresses.insert(addresses.end(), {ranges[i].first.begin, ranges[i].first.end - 1});
    owners.insert(owners.end(), {i, i});
  }
  const auto expect = [&](size_t i, const CodeAt& code) {
    ASSERT_EQ(FrameText(code.frames()), FrameText(ranges[owners[i]].first.frames));
    ASSERT_EQ(code.quality(), Quality::kGoPclntab);
  };
  table.FindAll(addresses, expect);
  CodeAt code;
  for (size_t i = addresses.size(); i-- > 0;) {
    ASSERT_TRUE(table.Find(addresses[i], &code));
    expect(i, code);
  }
  std::mt19937 random(5);
  for (int k = 0; k < 20'000; ++k) {
    const size_t i = random() % addresses.size();
    ASSERT_TRUE(table.Find(addresses[i], &code));
    expect(i, code);
  }
}

TEST(SymbolTableTest, InsertionOrderDoesNotMatter) {
  const std::vector<std::string> names = Names();
  auto ranges = RandomRanges(names, 9);
  const auto write = [&ranges] {
    TableWriter writer;
    size_t i = 0;
    for (const auto& [range, frames] : ranges) {
      const Quality quality = range.begin % 3 == 0 ? Quality::kSymtab : Quality::kDwarf;
      EXPECT_TRUE(writer.Add({range.begin, range.end + 20, frames}, quality).ok());
      ++i;
    }
    return *writer.Finish();
  };
  const std::string one = write();
  std::ranges::shuffle(ranges, std::mt19937(4));
  EXPECT_EQ(write(), one);
}

TEST(SymbolTableTest, BetterSourceWinsAndOthersFillItsGaps) {
  TableWriter writer;
  AddText("100 200 symbol ?:0\n 300 400 last ?:0", Quality::kSymtab, &writer);
  AddText("120 140 exact e.c:1\n 140 150 exact e.c:2\n 1f0 210 exact e.c:9", Quality::kDwarf,
          &writer);
  AddText("0 1000 bounds ?:0", Quality::kEhFrame, &writer);
  const std::string bytes = *writer.Finish();
  EXPECT_EQ(TableText(Opened(bytes)),
            "0 100 eh_frame bounds ?:0\n"
            "100 120 symtab symbol ?:0\n"
            "120 140 dwarf exact e.c:1\n"
            "140 150 dwarf exact e.c:2\n"
            "150 1f0 symtab symbol ?:0\n"
            "1f0 210 dwarf exact e.c:9\n"
            "210 300 eh_frame bounds ?:0\n"
            "300 400 symtab last ?:0\n"
            "400 1000 eh_frame bounds ?:0\n");
}

TEST(SymbolTableTest, LinesWithoutAFunctionGetTheNameFromTheNextSource) {
  TableWriter writer;
  AddText("100 110 ? asm.s:1\n 110 140 ? asm.s:2\n 150 160 ? asm.s:3", Quality::kDwarf, &writer);
  AddText("108 120 memcpy ?:0\n 130 138 memset ?:0", Quality::kSymtab, &writer);
  AddText("150 160 ? ?:0", Quality::kEhFrame, &writer);
  const std::string bytes = *writer.Finish();
  // Lines without a name from any source are dropped, unless unwind tables have a function there.
  EXPECT_EQ(TableText(Opened(bytes)),
            "108 110 symtab memcpy asm.s:1\n"
            "110 120 symtab memcpy asm.s:2\n"
            "130 138 symtab memset asm.s:2\n"
            "150 160 eh_frame ? asm.s:3\n");
}

TEST(SymbolTableTest, MergesEqualAdjacentRanges) {
  const std::string bytes = Written("100 110 a a.c:1\n 110 120 a a.c:1\n 120 130 a a.c:2");
  EXPECT_EQ(Opened(bytes).range_count(), 2u);
}

TEST(SymbolTableTest, ExceedingAWriterLimitIsAnError) {
  const SourceFrame frame = {.function = "function", .file = "file"};
  const CodeRange range = {.begin = 1, .end = 2, .frames = {&frame, 1}};
  constexpr auto kExhausted = absl::StatusCode::kResourceExhausted;
  const auto code = [&](const TableLimits& limits) {
    TableWriter writer(limits);
    return writer.Add(range, Quality::kDwarf).code();
  };
  EXPECT_EQ(code({}), absl::StatusCode::kOk);
  EXPECT_EQ(code({.ranges_max = 0}), kExhausted);
  EXPECT_EQ(code({.scopes_max = 0}), kExhausted);
  EXPECT_EQ(code({.text_bytes_max = 11}), kExhausted);

  TableWriter writer;
  const std::string long_name(kTextBytesMax + 1, 'x');
  const SourceFrame long_frame = {.function = long_name};
  EXPECT_EQ(writer.Add({1, 2, {&long_frame, 1}}, Quality::kDwarf).code(), kExhausted);
  const std::vector<SourceFrame> deep(kFramesMax + 1, frame);
  EXPECT_EQ(writer.Add({1, 2, deep}, Quality::kDwarf).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(writer.Add({1, 1, {&frame, 1}}, Quality::kDwarf).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(writer.Add({1, ~0ull, {&frame, 1}}, Quality::kDwarf).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(writer.Add({1, 2, {}}, Quality::kDwarf).code(), absl::StatusCode::kInvalidArgument);
}

TEST(SymbolTableTest, FindsTheDeepestChain) {
  std::vector<SourceFrame> deep(kFramesMax);
  for (size_t i = 0; i < deep.size(); ++i)
    deep[i] = {.function = "f", .file = "f.c", .line = static_cast<uint32_t>(i)};
  TableWriter writer;
  ASSERT_TRUE(writer.Add({1, 2, deep}, Quality::kDwarf).ok());
  const std::string bytes = *writer.Finish();
  const SymbolTable table = Opened(bytes);
  CodeAt code;
  ASSERT_TRUE(table.Find(1, &code));
  EXPECT_TRUE(std::ranges::equal(code.frames(), deep));
}

TEST(SymbolTableTest, RejectsInputThatIsNotATable) {
  EXPECT_EQ(SymbolTable::Open("").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(SymbolTable::Open(std::string(1'000, 'x')).status().code(),
            absl::StatusCode::kInvalidArgument);
  std::string bytes = Written("100 110 a a.c:1");
  EXPECT_FALSE(SymbolTable::Open(std::string_view(bytes).substr(0, bytes.size() - 1)).ok());
  bytes[4] = 2;
  EXPECT_EQ(SymbolTable::Open(bytes).status().code(), absl::StatusCode::kUnimplemented);
}

TEST(SymbolTableTest, ChecksumsDetectDamageWithoutACrash) {
  const std::vector<std::string> names = Names();
  TableWriter writer;
  for (const auto& [range, frames] : RandomRanges(names, 8))
    ASSERT_TRUE(writer.Add(range, Quality::kDwarf).ok());
  const std::string good = *writer.Finish();
  std::mt19937 random(6);
  for (int k = 0; k < 300; ++k) {
    std::string bad = good;
    const size_t at = random() % bad.size();
    bad[at] = static_cast<char>(bad[at] ^ (1 + random() % 255));
    const auto table = SymbolTable::Open(bad);
    if (!table.ok())
      continue;
    EXPECT_FALSE(table->VerifyChecksums().ok()) << at;
    CodeAt code;
    for (uint64_t address = 0x400000; address < 0x440000; address += 97) {
      table->Find(address, &code);
      ASSERT_LE(code.frames().size(), kFramesMax);
    }
  }
}

TEST(SymbolTableTest, MapsAFileAndUsesItInPlace) {
  const std::string path =
      (std::filesystem::temp_directory_path() / base::StrCat("table_", getpid(), ".fsym")).string();
  std::ofstream(path, std::ios::binary) << Written("100 110 a a.c:1");
  {
    auto opened = SymbolTable::OpenFile(path);
    ASSERT_TRUE(opened.ok()) << opened.status();
    const SymbolTable table = *std::move(opened);
    CodeAt code;
    ASSERT_TRUE(table.Find(0x105, &code));
    EXPECT_EQ(FrameText(code.frames()), "a a.c:1");
  }
  std::filesystem::remove(path);
  EXPECT_EQ(SymbolTable::OpenFile(path).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(SymbolTable::OpenFile("/tmp").status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace flarestack::symbol
