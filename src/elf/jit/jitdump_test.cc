// SPDX-License-Identifier: Apache-2.0
#include "elf/jit/jitdump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "base/status.h"
#include "elf/testing/elf_builder.h"
#include "elf/testing/jitdump_builder.h"

namespace flarestack::elf {
namespace {

using ::testing::HasSubstr;
using testing::JitDumpBuilder;

std::string_view NameAt(const JitDump& dump, uint64_t address, uint64_t time) {
  const JitCode* code = dump.Find(address, time);
  return code == nullptr ? "-" : std::string_view(code->function->name);
}

// Returns the line at each address where it changes.
std::string LinesOf(const JitDump& dump, const JitCode& code) {
  std::string text;
  const JitLine* last = nullptr;
  for (uint64_t address = code.begin; address < code.end; ++address) {
    const JitLine* const line = dump.FindLine(code, address);
    if (line != std::exchange(last, line) && line != nullptr)
      base::StrAppend(&text, base::Hex(address), " ", *line->file, ":", line->line, "\n");
  }
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
  EXPECT_EQ(NameAt(*dump, 0x1030, 99), "-");
  EXPECT_EQ(NameAt(*dump, 0x1030, 100), "first");
  EXPECT_EQ(NameAt(*dump, 0x1030, 199), "first");
  EXPECT_EQ(NameAt(*dump, 0x1030, 200), "second");
  EXPECT_EQ(NameAt(*dump, 0x1000, 200), "-") << "partly overwritten code is dropped";
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
  EXPECT_EQ(LinesOf(*dump, *dump->Find(0x5000, 200)), "0x5004 a.js:7\n");
}

TEST(JitDump, FindsLinesAndExpandsTheSameFileMark) {
  JitDumpBuilder builder;
  builder.DebugInfo(0x1000, {{.address = 0x1000, .line = 1, .file = "a.js"},
                             {.address = 0x1008, .line = 2, .file = "\xff"},
                             {.address = 0x1004, .line = 3, .file = "b.js"},
                             {.address = 0x100c, .line = -5, .file = "\xff"},
                             {.address = 0x1010, .line = 9, .file = "behind.js"}});
  builder.Load(100, 0x1000, 0x10, 1, "f");
  builder.Load(100, 0x3000, 0x10, 2, "plain");
  const auto dump = JitDump::Parse(builder.bytes());
  ASSERT_TRUE(dump.ok()) << dump.status();
  EXPECT_EQ(LinesOf(*dump, *dump->Find(0x1000, 100)),
            "0x1000 a.js:1\n0x1004 b.js:3\n0x1008 a.js:2\n0x100c b.js:0\n");
  EXPECT_EQ(LinesOf(*dump, *dump->Find(0x3000, 100)), "");
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
  for (const auto& [id, body] : std::vector<std::pair<uint32_t, std::string>>{
           {0, "short"},
           {1, "short"},
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

// The size of the ELF header that perf puts before the code: V8 and LLVM add it to all lines.
TEST(JitDump, SubtractsTheElfHeaderThatSomeCompilersAddToLines) {
  JitDumpBuilder builder;
  builder.DebugInfo(0x1000, {{.address = 0x1040, .line = 1, .file = "a.js"},
                             {.address = 0x1048, .line = 2, .file = "a.js"}});
  builder.Load(100, 0x1000, 0x10, 1, "f");
  auto dump = JitDump::Parse(builder.bytes());
  ASSERT_TRUE(dump.ok()) << dump.status();
  EXPECT_EQ(LinesOf(*dump, *dump->Find(0x1000, 100)), "0x1000 a.js:1\n0x1008 a.js:2\n");
}

TEST(JitDump, DropsImplausibleLinesAndKeepsTheFunction) {
  const std::vector<std::vector<JitDumpBuilder::NewLine>> damaged = {
      {{.address = 0xff0, .line = 1, .file = "before"}},
      {{.address = 0x1000, .line = 1, .file = "control\x02"}},
      {{.address = 0x1000, .line = 1, .file = "utf\xc3"}},
      {{.address = 0x1050, .line = 1, .file = "behind"}}};
  for (const auto& lines : damaged) {
    JitDumpBuilder builder;
    builder.DebugInfo(0x1000, lines);
    builder.Load(100, 0x1000, 0x10, 1, "f");
    const auto dump = JitDump::Parse(builder.bytes());
    ASSERT_TRUE(dump.ok()) << dump.status();
    EXPECT_EQ(NameAt(*dump, 0x1000, 100), "f");
    EXPECT_EQ(LinesOf(*dump, *dump->Find(0x1000, 100)), "") << lines[0].file;
    EXPECT_EQ(dump->damaged_lines_count(), 1u);
  }
  for (const std::string& body :
       {std::string("short"), std::string(8, '\0') + std::string(8, '\xff'),
        std::string(16, '\0') + "much padding"}) {
    JitDumpBuilder builder;
    builder.Record(2, 1, body);
    builder.Load(100, 0, 0x10, 1, "f");
    const auto dump = JitDump::Parse(builder.bytes());
    ASSERT_TRUE(dump.ok()) << dump.status();
    EXPECT_EQ(dump->damaged_lines_count(), 1u);
  }
}

TEST(JitDump, GrowsByPieces) {
  JitDumpBuilder builder;
  builder.Load(100, 0x1000, 0x10, 1, "f");
  builder.Load(200, 0x1000, 0x10, 2, "g");
  builder.Move(300, 0x5000, 0x10, 2);
  const std::string_view bytes = builder.bytes();
  JitDump dump;
  uint64_t at = 0;
  for (size_t end = 0; end <= bytes.size(); ++end) {
    const auto consumed = dump.Append(bytes.substr(at, end - at));
    ASSERT_TRUE(consumed.ok()) << consumed.status();
    at += *consumed;
  }
  EXPECT_EQ(at, bytes.size());
  EXPECT_EQ(NameAt(dump, 0x1008, 150), "f");
  EXPECT_EQ(NameAt(dump, 0x1008, 250), "g");
  EXPECT_EQ(NameAt(dump, 0x1008, 350), "-");
  EXPECT_EQ(NameAt(dump, 0x5008, 350), "g");
}

TEST(JitDump, StaysWithinItsLimits) {
  JitDump dump({.codes_max = 10, .bytes_max = 1 << 16});
  JitDumpBuilder builder;
  for (uint64_t i = 0; i < 100; ++i)
    builder.Load(i, 0x1000 + i * 16, 16, i, "f");
  builder.Load(1000, 0x1008, 16, 1000, "over");
  ASSERT_TRUE(dump.Append(builder.bytes()).ok());
  EXPECT_EQ(dump.codes().size(), 9u);
  EXPECT_EQ(NameAt(dump, 0x1000, 2000), "-") << "code that was overwritten";
  EXPECT_EQ(NameAt(dump, 0x1020, 2000), "f");
  EXPECT_GT(dump.dropped_code_count(), 80u);
}

TEST(JitDump, SkipsRecordsThatAreTooLarge) {
  JitDumpBuilder builder;
  builder.Load(1, 0x1000, 16, 1, "f");
  const size_t large = builder.bytes().size();
  builder.Load(1, 0x2000, 16, 2, "large");
  std::string bytes = builder.bytes();
  testing::Poke(&bytes, large + 4, uint32_t{1} << 30);
  JitDump dump;
  const auto consumed = dump.Append(bytes);
  ASSERT_TRUE(consumed.ok()) << consumed.status();
  EXPECT_EQ(*consumed, large + (uint64_t{1} << 30));
  EXPECT_EQ(dump.codes().size(), 1u);
}

}  // namespace
}  // namespace flarestack::elf
