// SPDX-License-Identifier: Apache-2.0
#include "elf/jit/jitdump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"
#include "elf/testing/elf_builder.h"
#include "elf/testing/jitdump_builder.h"

namespace flarestack::elf {
namespace {

using ::testing::HasSubstr;
using testing::JitDumpBuilder;

std::string_view NameAt(const JitDump& dump, uint64_t address, uint64_t time) {
  const JitCode* code = dump.Find(address, time);
  return code == nullptr ? "-" : code->name;
}

std::string LinesOf(const JitDump& dump, const JitCode& code) {
  std::string text;
  EXPECT_TRUE(dump.VisitLines(code,
                              [&](const CodeRange& range) {
                                const SourceFrame& frame = range.frames[0];
                                base::StrAppend(&text, base::Hex(range.begin), "-",
                                                base::Hex(range.end), " ", frame.function, " ",
                                                frame.file, ":", frame.line, "\n");
                                return absl::OkStatus();
                              })
                  .ok());
  return text;
}

TEST(JitDump, FindsCodeByAddressAndTime) {
  JitDumpBuilder builder;
  builder.Load(100, 0x1000, 0x40, 1, "first");
  builder.Load(150, 0x2000, 0x10, 2, "other");
  builder.Load(200, 0x1020, 0x40, 3, "second");
  const auto dump = JitDump::Parse(builder.bytes());
  ASSERT_TRUE(dump.ok()) << dump.status();
  EXPECT_EQ(dump->process_id(), 4242u);
  EXPECT_FALSE(dump->is_cut_short());
  EXPECT_EQ(NameAt(*dump, 0x1030, 99), "-");
  EXPECT_EQ(NameAt(*dump, 0x1030, 100), "first");
  EXPECT_EQ(NameAt(*dump, 0x1030, 199), "first");
  EXPECT_EQ(NameAt(*dump, 0x1030, 200), "second");
  EXPECT_EQ(NameAt(*dump, 0x1000, 200), "-") << "what is overwritten in part is gone";
  EXPECT_EQ(NameAt(*dump, 0x105f, 1'000'000), "second");
  EXPECT_EQ(NameAt(*dump, 0x1060, 1'000'000), "-");
  EXPECT_EQ(NameAt(*dump, 0x200f, 150), "other");
  EXPECT_EQ(NameAt(*dump, 0xfff, 150), "-");
}

TEST(JitDump, OrdersByTimeAndNotByFilePosition) {
  JitDumpBuilder builder;
  builder.Load(200, 0x1000, 0x40, 1, "late");
  builder.Load(100, 0x1000, 0x40, 2, "early");
  const auto dump = JitDump::Parse(builder.bytes());
  ASSERT_TRUE(dump.ok());
  EXPECT_EQ(NameAt(*dump, 0x1000, 150), "early");
  EXPECT_EQ(NameAt(*dump, 0x1000, 250), "late");
}

TEST(JitDump, MovedCodeTakesItsLinesAlong) {
  JitDumpBuilder builder;
  builder.DebugInfo(0x1000, {{.address = 0x1004, .line = 7, .file = "a.js"}});
  builder.Load(100, 0x1000, 0x10, 1, "moving");
  builder.Move(200, 0x5000, 0x10, 1);
  builder.Move(300, 0x6000, 0x10, 99);  // of code that was never loaded
  const auto dump = JitDump::Parse(builder.bytes());
  ASSERT_TRUE(dump.ok()) << dump.status();
  EXPECT_EQ(NameAt(*dump, 0x1008, 150), "moving");
  EXPECT_EQ(NameAt(*dump, 0x1008, 200), "-");
  EXPECT_EQ(NameAt(*dump, 0x5008, 150), "-");
  EXPECT_EQ(NameAt(*dump, 0x5008, 200), "moving");
  EXPECT_EQ(NameAt(*dump, 0x6000, 300), "-");
  EXPECT_EQ(LinesOf(*dump, *dump->Find(0x5000, 200)),
            "0x5000-0x5004 moving :0\n0x5004-0x5010 moving a.js:7\n");
}

TEST(JitDump, TurnsLinesIntoRangesAndExpandsTheSameFileMark) {
  JitDumpBuilder builder;
  builder.DebugInfo(0x1000, {{.address = 0x1000, .line = 1, .file = "a.js"},
                             {.address = 0x1008, .line = 2, .file = "\xff"},
                             {.address = 0x1004, .line = 3, .file = "b.js"},
                             {.address = 0x100c, .line = -5, .file = "\xff"},
                             {.address = 0x1010, .line = 9, .file = "behind.js"},
                             {.address = 0xff0, .line = 9, .file = "before.js"}});
  builder.Load(100, 0x1000, 0x10, 1, "f");
  builder.Load(100, 0x3000, 0x10, 2, "plain");
  const auto dump = JitDump::Parse(builder.bytes());
  ASSERT_TRUE(dump.ok()) << dump.status();
  EXPECT_EQ(LinesOf(*dump, *dump->Find(0x1000, 100)),
            "0x1000-0x1004 f a.js:1\n"
            "0x1004-0x1008 f b.js:3\n"
            "0x1008-0x100c f a.js:2\n"
            "0x100c-0x1010 f b.js:0\n");
  EXPECT_EQ(LinesOf(*dump, *dump->Find(0x3000, 100)), "0x3000-0x3010 plain :0\n");
}

TEST(JitDump, SkipsUnknownRecordsAndStopsAtTheClosingOne) {
  JitDumpBuilder builder;
  builder.Record(4, 1, "unwinding");
  builder.Record(77, 1, "");
  builder.Load(100, 0x1000, 0x10, 1, "f");
  builder.Record(3, 1, "");
  builder.Load(100, 0x2000, 0x10, 2, "g");
  const auto dump = JitDump::Parse(builder.bytes());
  ASSERT_TRUE(dump.ok()) << dump.status();
  EXPECT_EQ(dump->codes().size(), 1u);
}

TEST(JitDump, TruncationLosesOnlyTheLastRecord) {
  JitDumpBuilder builder;
  builder.Load(100, 0x1000, 0x10, 1, "f");
  const size_t first_end = builder.bytes().size();
  builder.Load(100, 0x2000, 0x10, 2, "g");
  for (size_t size = first_end + 1; size < builder.bytes().size(); ++size) {
    const std::string bytes = builder.bytes().substr(0, size);
    const auto dump = JitDump::Parse(bytes);
    ASSERT_TRUE(dump.ok()) << dump.status();
    EXPECT_EQ(dump->codes().size(), 1u);
    EXPECT_TRUE(dump->is_cut_short());
  }
}

TEST(JitDump, ReportsWhyItCannotReadAFile) {
  const std::string whole = JitDumpBuilder().bytes();
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(JitDump::Parse(whole.substr(0, size)).status().code(),
              absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(JitDump::Parse(whole).ok());
  std::string swapped = whole;
  std::reverse(swapped.begin(), swapped.begin() + 4);
  EXPECT_EQ(JitDump::Parse(swapped).status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(base::Message(JitDump::Parse(swapped).status()), HasSubstr("big-endian"));
  std::string version = whole;
  testing::Poke(&version, 4, uint32_t{2});
  EXPECT_EQ(JitDump::Parse(version).status().code(), absl::StatusCode::kUnimplemented);
  std::string header = whole;
  testing::Poke(&header, 8, uint32_t{39});
  EXPECT_FALSE(JitDump::Parse(header).ok());
  testing::Poke(&header, 8, ~uint32_t{0});
  EXPECT_FALSE(JitDump::Parse(header).ok());
}

TEST(JitDump, ReportsTheOffsetOfDamagedRecords) {
  const std::string huge(8, '\xff');
  std::string endless_lines(8, '\0');
  endless_lines += huge;
  for (const auto& [id, body] : std::vector<std::pair<uint32_t, std::string>>{
           {0, "short"},
           {1, "short"},
           {2, "short"},
           {2, endless_lines},
           {0, std::string(8, '\0') + huge + huge + huge + huge + std::string(1, '\0')}}) {
    JitDumpBuilder builder;
    builder.Record(id, 1, body);
    const auto dump = JitDump::Parse(builder.bytes());
    EXPECT_EQ(dump.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(base::Message(dump.status()), HasSubstr("at byte 40"));
  }
  JitDumpBuilder builder;
  builder.Load(1, 0x1000, 0x10, 1, "f");
  std::string small = builder.bytes();
  testing::Poke(&small, 44, uint32_t{15});
  EXPECT_THAT(base::Message(JitDump::Parse(small).status()), HasSubstr("15 bytes"));
}

TEST(JitDump, IgnoresCodeReplacedInTheSameTick) {
  JitDumpBuilder builder;
  builder.Load(100, 0x1000, 0x10, 1, "f");
  builder.Load(100, 0x1000, 0x10, 2, "g");
  const auto dump = JitDump::Parse(builder.bytes());
  ASSERT_TRUE(dump.ok());
  EXPECT_EQ(dump->codes().size(), 1u);
  EXPECT_EQ(NameAt(*dump, 0x1000, 100), "g");
}

}  // namespace
}  // namespace flarestack::elf
