// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/unwind_table.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/file/mapped_file.h"
#include "base/status.h"
#include "base/text/text.h"
#include "elf/elf_symbols.h"
#include "elf/kernel/vdso.h"
#include "elf/testing/compiled_program.h"
#include "elf/testing/eh_frame_builder.h"
#include "elf/testing/elf_builder.h"
#include "elf/testing/own_files.h"
#include "record/unwind/testing/rows_text.h"

namespace flarestack::record::unwind {
namespace {

using namespace std::string_literals;
using elf::testing::Append;
using elf::testing::EhFrameBuilder;
using elf::testing::ElfBuilder;
using ::testing::HasSubstr;
using testing::ToText;

constexpr uint64_t kText = 0x10000;
constexpr uint64_t kFrames = 0x50000;
constexpr uint64_t kHeader = 0x60000;
// The CIE of EhFrameBuilder defines only the CFA. A function also needs this to have a rule.
const std::string kReturn = "\x90\x01"s;

// Builds a program with code at kText and the given frames, header and code.
class FileBuilder {
 public:
  FileBuilder() : frames_(kFrames) { frames_.AddCie(); }

  EhFrameBuilder& frames() { return frames_; }

  void AddFunction(uint64_t begin, uint64_t length, const std::string& instructions = "") {
    frames_.AddFde(begin, length, kReturn + instructions);
    table_.emplace_back(begin, frames_.last_fde_offset());
  }

  void SetCode(uint64_t address, std::string_view code) {
    code_.replace(address - kText, code.size(), code);
  }
  void set_entry(uint64_t entry) { entry_ = entry; }
  void LeaveOutHeader() { has_header_ = false; }
  void LeaveOutFrames() { has_frames_ = false; }
  void SetDebugFrames(std::string bytes) { debug_frames_ = std::move(bytes); }

  std::string Build(uint16_t machine = EM_X86_64) const {
    ElfBuilder builder(machine);
    const size_t text = builder.AddSection(
        {.name = ".text", .flags = SHF_ALLOC | SHF_EXECINSTR, .address = kText, .bytes = code_});
    builder.AddSegmentOver(text, PT_LOAD, PF_R | PF_X);
    if (has_frames_)
      builder.AddSection(
          {.name = ".eh_frame", .flags = SHF_ALLOC, .address = kFrames, .bytes = frames_.bytes()});
    if (has_frames_ && has_header_) {
      const size_t header =
          builder.AddSection({.name = ".eh_frame_hdr", .address = kHeader, .bytes = Header()});
      builder.AddSegmentOver(header, PT_GNU_EH_FRAME, PF_R);
    }
    if (!debug_frames_.empty())
      builder.AddSection({.name = ".debug_frame", .bytes = debug_frames_});
    std::string bytes = builder.Build();
    elf::testing::Poke(&bytes, offsetof(Elf64_Ehdr, e_entry), entry_);
    return bytes;
  }

 private:
  std::string Header() const {
    std::string bytes("\x01\x1b\x03\x3b", 4);
    Append(static_cast<uint32_t>(kFrames - (kHeader + 4)), &bytes);
    Append(static_cast<uint32_t>(table_.size()), &bytes);
    for (const auto& [begin, offset] : table_) {
      Append(static_cast<uint32_t>(begin - kHeader), &bytes);
      Append(static_cast<uint32_t>(kFrames + offset - kHeader), &bytes);
    }
    return bytes;
  }

  EhFrameBuilder frames_;
  std::vector<std::pair<uint64_t, uint64_t>> table_;
  std::string code_ = std::string(0x20000, '\x90');
  std::string debug_frames_;
  uint64_t entry_ = 0;
  bool has_header_ = true;
  bool has_frames_ = true;
};

absl::StatusOr<UnwindTable> TableOf(const std::string& bytes, const UnwindLimits& limits = {}) {
  const auto file = elf::ElfFile::Parse(bytes);
  EXPECT_TRUE(file.ok()) << file.status();
  return UnwindTable::Of(*file, nullptr, limits);
}

std::string RowsOf(const std::string& bytes, const CodeSpan& span) {
  const auto table = TableOf(bytes);
  return table.ok() ? ToText(table->Rows(span)) : table.status().ToString();
}

TEST(UnwindTableTest, ReturnsTheRowsOfACodeRange) {
  FileBuilder builder;
  builder.AddFunction(kText + 0x100, 0x40, "\x44\x0e\x10");
  builder.AddFunction(kText + 0x140, 0x40);
  builder.AddFunction(kText + 0x200, 0x40, "\x44\x0e\x20");
  const std::string file = builder.Build();
  EXPECT_EQ(RowsOf(file, {.begin = kText, .end = kText + 0x10000}),
            "0x10000 none\n"
            "0x10100 cfa=r7+8 ra=-8\n"
            "0x10104 cfa=r7+16 ra=-8\n"
            "0x10140 cfa=r7+8 ra=-8\n"
            "0x10180 none\n"
            "0x10200 cfa=r7+8 ra=-8\n"
            "0x10204 cfa=r7+32 ra=-8\n"
            "0x10240 none\n");
  EXPECT_EQ(RowsOf(file, {.begin = kText + 0x120, .end = kText + 0x150}),
            "0x10120 cfa=r7+16 ra=-8\n0x10140 cfa=r7+8 ra=-8\n");
  EXPECT_EQ(RowsOf(file, {.begin = kText + 0x180, .end = kText + 0x200}), "0x10180 none\n");
  EXPECT_EQ(RowsOf(file, {.begin = 0, .end = 0x100}), "0x0 none\n");
  EXPECT_EQ(RowsOf(file, {.begin = UINT64_MAX - 1, .end = UINT64_MAX}),
            "0xfffffffffffffffe none\n");
}

TEST(UnwindTableTest, FindMatchesTheRows) {
  FileBuilder builder;
  builder.AddFunction(kText + 0x100, 0x40, "\x44\x0e\x10");
  const std::string bytes = builder.Build();
  const auto table = TableOf(bytes);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(ToText(table->Find(kText + 0xff)), "none");
  EXPECT_EQ(ToText(table->Find(kText + 0x100)), "cfa=r7+8 ra=-8");
  EXPECT_EQ(ToText(table->Find(kText + 0x13f)), "cfa=r7+16 ra=-8");
  EXPECT_EQ(ToText(table->Find(kText + 0x140)), "none");
  EXPECT_EQ(ToText(table->Find(UINT64_MAX)), "none");
}

TEST(UnwindTableTest, PaddingBelongsToThePrecedingFunction) {
  FileBuilder builder;
  builder.AddFunction(kText + 0x100, 0x31, "\x44\x0e\x10");
  builder.AddFunction(kText + 0x140, 0x30, "\x0e\x18");
  builder.AddFunction(kText + 0x180, 0x40, "\x0e\x20");
  const std::string file = builder.Build();
  EXPECT_EQ(RowsOf(file, {.begin = kText + 0x120, .end = kText + 0x190}),
            "0x10120 cfa=r7+16 ra=-8\n"
            "0x10140 cfa=r7+24 ra=-8\n"
            "0x10170 none\n"
            "0x10180 cfa=r7+32 ra=-8\n")
      << "15 bytes are padding, 16 are not";
  EXPECT_EQ(RowsOf(file, {.begin = kText + 0x138, .end = kText + 0x13c}),
            "0x10138 cfa=r7+16 ra=-8\n")
      << "also where both functions lie outside";
  EXPECT_EQ(RowsOf(file, {.begin = kText + 0x178, .end = kText + 0x17c}), "0x10178 none\n");
}

// The code that functions started by makecontext() return to; here right after a function that ends
// with a call.
TEST(UnwindTableTest, MakecontextStackEndsAtItsReturnCode) {
  FileBuilder builder;
  builder.AddFunction(kText + 0x100, 0x31, "\x44\x0e\x10");
  builder.AddFunction(kText + 0x140, 0x1a);
  builder.AddFunction(kText + 0x160, 0x20);
  builder.SetCode(kText + 0x140, "\x48\x89\xdc\x48\x8b\x3c\x24\x48\x85\xff\x74\x08"s);
  const std::string file = builder.Build();
  const std::string rows =
      "0x10104 cfa=r7+16 ra=-8\n0x1013f entry\n0x10140 stop\n0x1015a cfa=r7+8 ra=-8\n"
      "0x10180 none\n";
  EXPECT_EQ(RowsOf(file, {.begin = kText + 0x104, .end = kText + 0x200}), rows);
  EXPECT_EQ(RowsOf(file, {.begin = kText + 0x130, .end = kText + 0x140}),
            "0x10130 cfa=r7+16 ra=-8\n0x1013f entry\n")
      << "where the code is on the next page";
  EXPECT_EQ(RowsOf(file, {.begin = kText + 0x150, .end = kText + 0x160}),
            "0x10150 stop\n0x1015a cfa=r7+8 ra=-8\n")
      << "where it is on the page before";
}

TEST(UnwindTableTest, ReadsFilesWithoutASearchTableOnce) {
  FileBuilder builder;
  builder.AddFunction(kText + 0x200, 0x40, "\x0e\x10");
  builder.AddFunction(kText + 0x100, 0x40);
  builder.LeaveOutHeader();
  const std::string file = builder.Build();
  EXPECT_EQ(RowsOf(file, {.begin = kText + 0x100, .end = kText + 0x201}),
            "0x10100 cfa=r7+8 ra=-8\n0x10140 none\n0x10200 cfa=r7+16 ra=-8\n");
  EXPECT_TRUE(TableOf(file, {.index_entries_max = 2}).ok());
  const auto full = TableOf(file, {.index_entries_max = 1});
  EXPECT_EQ(full.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(base::Message(full.status()), HasSubstr("more than 1 functions"));
}

TEST(UnwindTableTest, IgnoresAnUnsortedTable) {
  FileBuilder builder;
  builder.AddFunction(kText + 0x200, 0x40, "\x0e\x10");
  builder.AddFunction(kText + 0x100, 0x40);
  EXPECT_EQ(RowsOf(builder.Build(), {.begin = kText + 0x100, .end = kText + 0x201}),
            "0x10100 cfa=r7+8 ra=-8\n0x10140 none\n0x10200 cfa=r7+16 ra=-8\n");
}

TEST(UnwindTableTest, LaterOfOverlappingFunctionsWins) {
  FileBuilder builder;
  builder.AddFunction(kText + 0x100, 0x100);
  builder.AddFunction(kText + 0x140, 0x20, "\x0e\x10");
  EXPECT_EQ(RowsOf(builder.Build(), {.begin = kText + 0x100, .end = kText + 0x200}),
            "0x10100 cfa=r7+8 ra=-8\n0x10140 cfa=r7+16 ra=-8\n0x10160 none\n");
}

TEST(UnwindTableTest, CountsDamageAndLimitsItToItsFunction) {
  FileBuilder builder;
  builder.AddFunction(kText + 0x100, 0x40, "\x17");
  builder.AddFunction(kText + 0x140, 0x40, "\x0f\x02\x35\x36");
  builder.AddFunction(kText + 0x180, 0x40);
  const std::string bytes = builder.Build();
  const auto table = TableOf(bytes);
  UnwindCounts counts;
  EXPECT_EQ(ToText(table->Rows({.begin = kText + 0x100, .end = kText + 0x1c0}, &counts)),
            "0x10100 none\n0x10180 cfa=r7+8 ra=-8\n");
  EXPECT_EQ(counts, (UnwindCounts{.unsupported_count = 1, .damaged_count = 1}));
}

TEST(UnwindTableTest, StopsIfACodeRangeNeedsTooManySteps) {
  FileBuilder builder;
  for (uint64_t i = 0; i < 100; ++i)
    builder.AddFunction(kText + i * 0x10, 0x10, "\x44\x0e\x10");
  const std::string bytes = builder.Build();
  const auto table = TableOf(bytes, {.steps_max = 200});
  UnwindCounts counts;
  const auto rows = table->Rows({.begin = kText, .end = kText + 0x1000}, &counts);
  EXPECT_GT(counts.exhausted_count, 0u);
  EXPECT_EQ(ToText(rows.back().rule), "none");
  EXPECT_GT(rows.size(), 20u);
}

// ---- Code that needs no table ------------------------------------------------------------------

const std::string kX86Return = "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05"s;
const std::string kArm64Return = "\x68\x11\x80\xd2\x01\x00\x00\xd4"s;

TEST(UnwindTableTest, RecognisesSignalReturnsByTheirCode) {
  FileBuilder builder;
  builder.AddFunction(kText + 0x100, 0x40);
  builder.AddFunction(kText + 0x200, 9);
  builder.SetCode(kText + 0x180, kX86Return);
  builder.SetCode(kText + 0x200, kX86Return);
  builder.SetCode(kText + 0x120, kX86Return);  // in a function with another rule
  EXPECT_EQ(RowsOf(builder.Build(), {.begin = kText + 0x100, .end = kText + 0x300}),
            "0x10100 cfa=r7+8 ra=-8\n"
            "0x10140 none\n"
            "0x1017f signal\n"
            "0x10189 none\n"
            "0x101ff signal\n"
            "0x10209 none\n");
  EXPECT_EQ(RowsOf(builder.Build(EM_AARCH64), {.begin = kText + 0x170, .end = kText + 0x190}),
            "0x10170 none\n")
      << "of another machine it is other code";
  builder.SetCode(kText + 0x180, kArm64Return);
  EXPECT_EQ(RowsOf(builder.Build(EM_AARCH64), {.begin = kText + 0x170, .end = kText + 0x190}),
            "0x10170 none\n0x1017f signal\n0x10188 none\n");
}

TEST(UnwindTableTest, FileWithOnlyASignalReturnHasThatRule) {
  FileBuilder builder;
  builder.LeaveOutFrames();
  EXPECT_EQ(RowsOf(builder.Build(EM_AARCH64), {.begin = kText, .end = kText + 0x1000}),
            "0x10000 none\n");
  builder.SetCode(kText + 0x180, kArm64Return);
  EXPECT_EQ(RowsOf(builder.Build(EM_AARCH64), {.begin = kText, .end = kText + 0x1000}),
            "0x10000 none\n0x1017f signal\n0x10188 none\n");
}

TEST(UnwindTableTest, SignalReturnMayCrossPages) {
  for (const bool has_entry : {false, true}) {
    FileBuilder builder;
    const uint64_t page = kText + 0x10000;
    builder.AddFunction(kText, 0x10);
    if (has_entry)
      builder.AddFunction(page, 9);
    builder.SetCode(page, kX86Return);
    const std::string file = builder.Build();
    EXPECT_EQ(RowsOf(file, {.begin = page - 0x10, .end = page}), "0x1fff0 none\n0x1ffff signal\n");
    EXPECT_EQ(RowsOf(file, {.begin = page, .end = page + 0x10}), "0x20000 signal\n0x20009 none\n");
    EXPECT_EQ(RowsOf(file, {.begin = page + 4, .end = page + 0x10}),
              "0x20004 signal\n0x20009 none\n");
  }
}

TEST(UnwindTableTest, ProgramEntryIsTheOutermostFrame) {
  FileBuilder builder;
  builder.AddFunction(kText + 0x100, 0x40);
  builder.AddFunction(kText + 0x260, 0x40);
  builder.set_entry(kText + 0x240);
  EXPECT_EQ(RowsOf(builder.Build(), {.begin = kText + 0x140, .end = kText + 0x300}),
            "0x10140 none\n0x10240 stop\n0x10260 cfa=r7+8 ra=-8\n0x102a0 none\n");
  builder.set_entry(kText + 0x200);
  EXPECT_EQ(RowsOf(builder.Build(), {.begin = kText + 0x140, .end = kText + 0x260}),
            "0x10140 none\n0x10200 stop\n0x10240 none\n");
  builder.set_entry(kText + 0x110);
  EXPECT_EQ(ToText(TableOf(builder.Build())->Find(kText + 0x110)), "cfa=r7+8 ra=-8")
      << "the rule of its table applies";
}

// ---- .debug_frame ------------------------------------------------------------------------------

std::string DebugFrames(uint64_t begin, uint64_t length) {
  std::string bytes;
  const auto add = [&bytes](uint32_t id, const std::string& body) {
    Append(static_cast<uint32_t>(body.size() + 4), &bytes);
    Append(id, &bytes);
    bytes += body;
  };
  add(UINT32_MAX, "\x04\0\x08\0\x01\x78\x10\x0c\x07\x08\x90\x01"s);
  std::string function;
  Append(begin, &function);
  Append(length, &function);
  add(0, function + "\x44\x0e\x30");
  return bytes;
}

TEST(UnwindTableTest, DebugFramesCompleteATinyTable) {
  FileBuilder builder;
  builder.AddFunction(kText + 0x100, 0x40);
  builder.SetDebugFrames(DebugFrames(kText + 0x140, 0x40));
  const CodeSpan span = {.begin = kText + 0x100, .end = kText + 0x200};
  const std::string both = "0x10100 cfa=r7+8 ra=-8\n0x10144 cfa=r7+48 ra=-8\n0x10180 none\n";
  EXPECT_EQ(RowsOf(builder.Build(), span), both);
  builder.LeaveOutFrames();
  EXPECT_EQ(RowsOf(builder.Build(), span),
            "0x10100 none\n0x10140 cfa=r7+8 ra=-8\n0x10144 cfa=r7+48 ra=-8\n0x10180 none\n");
  EXPECT_EQ(TableOf(builder.Build(), {.debug_frame_bytes_max = 8}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(UnwindTableTest, DebugFramesMayBeInAnotherFile) {
  FileBuilder stripped;
  stripped.LeaveOutFrames();
  FileBuilder debug;
  debug.LeaveOutFrames();
  debug.SetDebugFrames(DebugFrames(kText + 0x140, 0x40));
  const std::string stripped_bytes = stripped.Build();
  const std::string debug_bytes = debug.Build();
  const auto stripped_file = elf::ElfFile::Parse(stripped_bytes);
  const auto debug_file = elf::ElfFile::Parse(debug_bytes);
  EXPECT_EQ(ToText(UnwindTable::Of(*stripped_file)->Find(kText + 0x150)), "none");
  const auto table = UnwindTable::Of(*stripped_file, &*debug_file);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(ToText(table->Find(kText + 0x150)), "cfa=r7+48 ra=-8");
}

TEST(UnwindTableTest, ReportsWhyThereIsNoTable) {
  const auto none = TableOf(ElfBuilder(EM_X86_64).Build());
  EXPECT_EQ(none.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(base::Message(none.status()), HasSubstr("no .debug_frame"));
  FileBuilder builder;
  EXPECT_EQ(TableOf(builder.Build(EM_RISCV)).status().code(), absl::StatusCode::kUnimplemented);
}

// The first page of a program begins before its code.
TEST(UnwindTableTest, AnalyzesCodeThatBeginsInsideItsPage) {
  FileBuilder builder;
  builder.AddFunction(kText + 0x180, 0x40);
  builder.SetCode(kText + 0x20, kX86Return);
  builder.SetCode(kText + 0x50, "\x53\x90\x5b\xc3"s);
  builder.SetCode(kText + 0x100, "\x48\x89\xdc\x48\x8b\x3c\x24\x48\x85\xff\x74\x08"s);
  EXPECT_EQ(RowsOf(builder.Build(), {.begin = kText - 0x1000, .end = kText + 0x180}),
            "0xf000 none\n"
            "0x1001f signal\n"
            "0x10029 none\n"
            "0x10050 cfa=r7+8 ra=-8 code\n"
            "0x10051 cfa=r7+16 ra=-8 code\n"
            "0x10053 cfa=r7+8 ra=-8 code\n"
            "0x10054 none\n"
            "0x100ff entry\n"
            "0x10100 stop\n"
            "0x1011a none\n");
}

// Code between two functions that have tables.
TEST(UnwindTableTest, DerivesRulesFromInstructionsWithoutATable) {
  FileBuilder builder;
  builder.AddFunction(kText + 0x100, 0x40);
  builder.AddFunction(kText + 0x180, 0x40);
  builder.SetCode(kText + 0x150, "\x53\x90\x5b\xc3"s);  // push %rbx; nop; pop %rbx; ret
  EXPECT_EQ(RowsOf(builder.Build(), {.begin = kText + 0x100, .end = kText + 0x1c0}),
            "0x10100 cfa=r7+8 ra=-8\n"
            "0x10140 none\n"
            "0x10150 cfa=r7+8 ra=-8 code\n"
            "0x10151 cfa=r7+16 ra=-8 code\n"
            "0x10153 cfa=r7+8 ra=-8 code\n"
            "0x10154 none\n"
            "0x10180 cfa=r7+8 ra=-8\n");
}

// ---- Real files --------------------------------------------------------------------------------

TEST(UnwindTableTest, VdsoHasRulesOrReportsThatItHasNone) {
  const auto bytes = elf::OwnVdsoBytes();
  if (!bytes.ok())
    GTEST_SKIP() << bytes.status();
  const auto file = elf::ElfFile::Parse(*bytes);
  ASSERT_TRUE(file.ok());
  const auto table = UnwindTable::Of(*file);
  if (!table.ok()) {
    EXPECT_EQ(table.status().code(), absl::StatusCode::kNotFound) << table.status();
    return;
  }
  const auto symbols = elf::ReadFunctionSymbols(*file);
  ASSERT_TRUE(symbols.ok());
  for (const elf::ElfSymbol& symbol : *symbols) {
    if (table->entry_count() == 0 && symbol.name.find("sigreturn") == std::string_view::npos)
      continue;
    EXPECT_NE(ToText(table->Find(symbol.begin)), "none") << symbol.name;
  }
}

// Rows built page by page equal rows built at once.
TEST(UnwindTableTest, PagesOfThisProgramJoinToTheWhole) {
  const std::string bytes = elf::testing::OwnProgramBytes();
  const auto file = elf::ElfFile::Parse(bytes);
  const auto table = UnwindTable::Of(*file);
  ASSERT_TRUE(table.ok()) << table.status();
  for (const elf::Segment& segment : file->segments()) {
    if (segment.type != PT_LOAD || !segment.is_executable())
      continue;
    const uint64_t begin = segment.address;
    const uint64_t end = begin + segment.file_bytes;
    std::vector<Row> joined;
    // Rules from instructions depend on which functions are decoded together, so they are ignored.
    const auto add = [&joined](Row row) {
      if ((row.rule.flags & bpf::RULE_FROM_CODE) != 0)
        row.rule = RuleOfKind(bpf::RULE_NONE);
      if (joined.empty() || !AreSame(joined.back().rule, row.rule))
        joined.push_back(row);
    };
    UnwindCounts counts;
    for (uint64_t at = begin; at < end;) {
      const uint64_t next = std::min(end, (at | 0xffff) + 1);
      for (const Row& row : table->Rows({.begin = at, .end = next}, &counts))
        add(row);
      at = next;
    }
    EXPECT_EQ(counts.damaged_count + counts.exhausted_count, 0u);
    const std::vector<Row> pages = std::exchange(joined, {});
    const auto big = UnwindTable::Of(*file, nullptr, {.steps_max = UINT64_MAX});
    for (const Row& row : big->Rows({.begin = begin, .end = end}))
      add(row);
    EXPECT_TRUE(joined == pages);
    EXPECT_GT(joined.size(), 1000u);
  }
}

}  // namespace
}  // namespace flarestack::record::unwind
