// SPDX-License-Identifier: Apache-2.0
#include "elf/dwarf/line_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "elf/testing/elf_builder.h"
#include "elf/testing/line_program.h"

namespace flarestack::elf {
namespace {

using testing::LineProgram;

// Code is everywhere from 0x1000 to 0x9000.
bool IsCode(uint64_t address) { return address >= 0x1000 && address < 0x9000; }

absl::Status Read(const std::string& program, LineTable* table, const LineLimits& limits = {}) {
  return table->Read({.debug_line = program}, {.directory = "/home/build"}, limits, IsCode);
}

std::string RowText(const LineTable& table) {
  std::string text;
  for (const LineRow& row : table.rows()) {
    text += fmt::format("{:x} ", row.address);
    text +=
        row.end ? std::string("end\n") : fmt::format("{}:{}:{}\n", row.file, row.line, row.column);
  }
  return text;
}

TEST(LineTableTest, RowsFollowTheInstructions) {
  LineProgram program;
  program.Address(0x1000).Line(5).Column(3).Row();
  program.Advance(4).Line(6).Row();
  program.Special(0x30);
  program.Advance(8).End();
  LineTable table;
  ASSERT_TRUE(Read(program.Build(), &table).ok());
  // The special opcode 0x30: 35 above the base of 13, so address 35 / 14 = 2 and line -5 + 35 % 14.
  EXPECT_EQ(RowText(table), "1000 1:5:3\n1004 1:6:3\n1006 1:8:3\n100e end\n");
}

TEST(LineTableTest, SkipsSequencesOfDiscardedCode) {
  LineProgram program;
  program.Address(0).Line(1).Row().Advance(16).End();
  program.Address(~uint64_t{0}).Line(2).Row().End();
  program.Address(~uint64_t{1}).Line(2).Row().End();
  program.Address(0x2000).Line(3).Row().Advance(4).End();
  LineTable table;
  ASSERT_TRUE(Read(program.Build(), &table).ok());
  EXPECT_EQ(RowText(table), "2000 1:3:0\n2004 end\n");
}

TEST(LineTableTest, SortsSequences) {
  LineProgram program;
  program.Address(0x3000).Line(30).Row().Advance(4).End();
  program.Address(0x2000).Line(20).Row().Advance(4).End();
  LineTable table;
  ASSERT_TRUE(Read(program.Build(), &table).ok());
  EXPECT_EQ(RowText(table), "2000 1:20:0\n2004 end\n3000 1:30:0\n3004 end\n");
}

TEST(LineTableTest, LastRowAtAnAddressWins) {
  LineProgram program;
  program.Address(0x2000).Line(3).Row().Line(4).Row().Advance(4).End();
  LineTable table;
  ASSERT_TRUE(Read(program.Build(), &table).ok());
  EXPECT_EQ(RowText(table), "2000 1:4:0\n2004 end\n");
}

TEST(LineTableTest, AddressesNeverDecrease) {
  LineProgram program;
  program.Address(0x2000).Line(3).Row().Address(0x1800).Line(4).Row().Advance(4).End();
  program.Address(0x1f00).Line(9).Row().Advance(0x200).End();
  LineTable table;
  ASSERT_TRUE(Read(program.Build(), &table).ok());
  for (size_t i = 1; i < table.rows().size(); ++i)
    EXPECT_LE(table.rows()[i - 1].address, table.rows()[i].address);
}

TEST(LineTableTest, ResolvesPathsAgainstTheUnitDirectory) {
  LineProgram program;
  program.Directory("include").Directory("/usr/include");
  program.File("main.c", 0).File("own.h", 1).File("stdio.h", 2).File("/abs/x.c", 1);
  const std::string bytes = program.Build();  // file names point into it
  LineTable table;
  ASSERT_TRUE(Read(bytes, &table).ok());
  EXPECT_EQ(table.File(0), "");
  EXPECT_EQ(table.File(1), "/home/build/main.c");
  EXPECT_EQ(table.File(2), "/home/build/include/own.h");
  EXPECT_EQ(table.File(3), "/usr/include/stdio.h");
  EXPECT_EQ(table.File(4), "/abs/x.c");
  EXPECT_EQ(table.File(5), "");
  EXPECT_EQ(table.File(~uint64_t{0}), "");
}

TEST(LineTableTest, KeepsAnUnterminatedProgramUpToItsFault) {
  LineProgram program;
  program.Address(0x2000).Line(3).Row().Advance(4).Line(4).Row();
  LineTable table;
  ASSERT_TRUE(Read(program.Build(), &table).ok());
  EXPECT_EQ(RowText(table), "2000 1:3:0\n2004 1:4:0\n2004 end\n");
}

TEST(LineTableTest, ReadsOrRejectsEveryPrefixOfAProgram) {
  LineProgram program;
  program.Directory("include").File("main.c", 0);
  program.Address(0x2000).Line(3).Row().Advance(400).Line(700).Row().Advance(4).End();
  const std::string bytes = program.Build();
  for (size_t length = 0; length < bytes.size(); ++length) {
    LineTable table;
    EXPECT_FALSE(Read(bytes.substr(0, length), &table).ok()) << length;
  }
}

TEST(LineTableTest, RejectsUnknownVersions) {
  for (const int version : {0, 1, 6}) {
    std::string bytes = LineProgram().Build();
    bytes[4] = static_cast<char>(version);
    LineTable table;
    EXPECT_EQ(Read(bytes, &table).code(), absl::StatusCode::kUnimplemented) << version;
  }
}

TEST(LineTableTest, EnforcesEachLimit) {
  LineProgram program;
  program.Directory("a").Directory("b").File("x", 1).File("y", 1);
  program.Address(0x2000).Row().Advance(1).Row().Advance(1).Row().End();
  const std::string bytes = program.Build();
  LineTable table;
  EXPECT_TRUE(Read(bytes, &table, {.rows_max = 4}).ok());
  EXPECT_EQ(Read(bytes, &table, {.rows_max = 3}).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Read(bytes, &table, {.files_max = 1}).code(), absl::StatusCode::kResourceExhausted);
  ASSERT_TRUE(Read(bytes, &table, {.path_bytes_max = 20}).ok());
  EXPECT_EQ(table.File(1), "/home/build/a/x");
  EXPECT_EQ(table.File(2), "");
}

TEST(LineTableTest, RejectsAnOffsetBeyondTheSection) {
  LineTable table;
  EXPECT_FALSE(table.Read({.debug_line = "abc"}, {.offset = 3}, {}, IsCode).ok());
}

}  // namespace
}  // namespace flarestack::elf
