// SPDX-License-Identifier: Apache-2.0
#include "elf/go/go_pclntab.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text/text.h"
#include "elf/go/go_image.h"
#include "elf/go/go_pc_values.h"
#include "elf/testing/elf_builder.h"
#include "elf/testing/go_table_builder.h"

namespace flarestack::elf {
namespace {

using testing::GoTableBuilder;
using testing::NewGoFunction;
using Place = GoTableBuilder::Place;

constexpr GoTableVersion kVersions[] = {GoTableVersion::kGo12, GoTableVersion::kGo116,
                                        GoTableVersion::kGo118, GoTableVersion::kGo120};

// One range per line: offsets from the start of the code, and frames innermost first.
std::string Text(const CodeRange& range) {
  std::string text =
      base::StrCat(range.begin - GoTableBuilder::kText, "-", range.end - GoTableBuilder::kText);
  for (const SourceFrame& frame : range.frames) {
    base::StrAppend(&text, " ", frame.function, "@", frame.file, ":", frame.line);
    if (frame.start_line != 0)
      base::StrAppend(&text, "(", frame.start_line, ")");
  }
  return text + "\n";
}

absl::StatusOr<std::string> Read(const std::string& program, const GoLimits& limits = {}) {
  auto file = ElfFile::Parse(program);
  if (!file.ok())
    return file.status();
  std::string text;
  const absl::Status status = VisitGoFunctions(*file, limits, [&](const CodeRange& range) {
    text += Text(range);
    return absl::OkStatus();
  });
  if (!status.ok())
    return status;
  return text;
}

// main calls norm, which calls square, both inlined.
void AddExample(GoTableBuilder* builder) {
  builder->AddFunction({.name = "main.main",
                        .size = 32,
                        .start_line = 10,
                        .lines = {{4, 11}, {8, 5}, {12, 3}, {28, 12}},
                        .files = {{8, "main.go"}, {12, "math.go"}, {28, "main.go"}},
                        .inlines = {{4, -1}, {8, 0}, {12, 1}, {28, -1}},
                        .tree = {{.name = "main.norm", .parent_offset = 0, .start_line = 4},
                                 {.name = "main.square", .parent_offset = 4, .start_line = 2}}});
  builder->AddFunction({.name = "main.Map[...]",
                        .size = 16,
                        .start_line = 20,
                        .lines = {{16, 21}},
                        .files = {{16, "main.go"}}});
}

TEST(GoPclntab, ReadsEachLayout) {
  for (const GoTableVersion version : kVersions) {
    GoTableBuilder builder(version);
    AddExample(&builder);
    const auto text = Read(builder.Program(Place::kSections));
    ASSERT_TRUE(text.ok()) << text.status();
    const std::string names[] = {
        "0-4 main.main@main.go:11\n"
        "4-8 main.main@main.go:5\n"
        "8-12 main.main@math.go:3\n"
        "12-28 main.main@main.go:12\n"
        "28-32 main.main@:0\n"
        "32-48 main.Map[...]@main.go:21\n",
        "0-4 main.main@main.go:11\n"
        "4-8 main.norm@main.go:5 main.main@main.go:11\n"
        "8-12 main.square@math.go:3 main.norm@main.go:5 main.main@main.go:11\n"
        "12-28 main.main@main.go:12\n"
        "28-32 main.main@:0\n"
        "32-48 main.Map[...]@main.go:21\n",
        "0-4 main.main@main.go:11(10)\n"
        "4-8 main.norm@main.go:5(4) main.main@main.go:11(10)\n"
        "8-12 main.square@math.go:3(2) main.norm@main.go:5(4) main.main@main.go:11(10)\n"
        "12-28 main.main@main.go:12(10)\n"
        "28-32 main.main@:0(10)\n"
        "32-48 main.Map[...]@main.go:21(20)\n"};
    const size_t expected = version == GoTableVersion::kGo12    ? 0
                            : version == GoTableVersion::kGo120 ? 2
                                                                : 1;
    EXPECT_EQ(*text, names[expected]) << static_cast<int>(version);
    // A linker that uses other section names, or a file without sections.
    EXPECT_EQ(*Read(builder.Program(Place::kSegmentsOnly)), *text);
  }
}

TEST(GoPclntab, ScalesAddressesByTheInstructionSize) {
  GoTableBuilder builder(GoTableVersion::kGo120, 4);
  AddExample(&builder);
  EXPECT_EQ(Read(builder.Program(Place::kSections))->substr(0, 29),
            "0-4 main.main@main.go:11(10)\n");
}

TEST(GoPclntab, StartOfCodeComesFromTheModuleSinceGo126) {
  GoTableBuilder builder(GoTableVersion::kGo120);
  AddExample(&builder);
  const std::string before = *Read(builder.Program(Place::kSections));
  builder.set_text_start(0);
  EXPECT_EQ(*Read(builder.Program(Place::kSections)), before);
}

// Only the table in a section, without moduledata.
std::string ProgramOfTable(const std::string& table, uint64_t address = GoTableBuilder::kTable) {
  testing::ElfBuilder builder(EM_X86_64, ET_EXEC);
  const size_t section = builder.AddSection(
      {.name = ".gopclntab", .flags = SHF_ALLOC, .address = address, .bytes = table});
  builder.AddSegmentOver(section, PT_LOAD, PF_R);
  return builder.Build();
}

TEST(GoPclntab, ReadsLinesWithoutInlinesIfModuleDataIsMissing) {
  GoTableBuilder builder(GoTableVersion::kGo120);
  AddExample(&builder);
  const auto text = Read(ProgramOfTable(builder.Table()));
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(text->substr(0, 58), "0-4 main.main@main.go:11(10)\n4-8 main.main@main.go:5(10)\n8");
  builder.set_text_start(0);
  EXPECT_EQ(Read(ProgramOfTable(builder.Table())).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(GoPclntab, ReadsPointersOfMovableProgramsFromRelocations) {
  GoTableBuilder builder(GoTableVersion::kGo116);
  AddExample(&builder);
  std::string table = builder.Table();
  const auto parsed = ReadGoTable(table, {});
  ASSERT_TRUE(parsed.ok());
  std::string relocations;
  for (uint64_t i = 0; i <= parsed->function_count; ++i) {
    const uint64_t offset = parsed->functab_offset + i * 16;
    uint64_t pointer = 0;
    for (size_t byte = 8; byte-- > 0;)
      pointer = pointer << 8 | static_cast<uint8_t>(table[offset + byte]);
    testing::Append<uint64_t>(GoTableBuilder::kTable + offset, &relocations);
    testing::Append<uint64_t>(R_X86_64_RELATIVE, &relocations);
    testing::Append<uint64_t>(pointer, &relocations);
    testing::Poke<uint64_t>(&table, offset, 0);
  }
  testing::ElfBuilder elf;
  const size_t section = elf.AddSection({.name = ".data.rel.ro.gopclntab",
                                         .flags = SHF_ALLOC,
                                         .address = GoTableBuilder::kTable,
                                         .bytes = table});
  elf.AddSegmentOver(section, PT_LOAD, PF_R | PF_W);
  elf.AddSection({.name = ".rela.dyn", .type = SHT_RELA, .flags = SHF_ALLOC, .bytes = relocations});
  const std::string program = elf.Build();
  EXPECT_EQ(Read(program)->substr(0, 25), "0-4 main.main@main.go:11\n");
  EXPECT_EQ(Read(program, {.relocation_count_max = 2}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(GoPclntab, RejectsOtherPrograms) {
  const std::string program = testing::ElfBuilder().Build();
  EXPECT_EQ(Read(program).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Read(ProgramOfTable("not such a table")).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST(GoPclntabLimits, EnforcesEachLimit) {
  GoTableBuilder builder(GoTableVersion::kGo120);
  AddExample(&builder);
  const std::string program = builder.Program(Place::kSections);
  for (const GoLimits& limits :
       {GoLimits{.table_bytes_max = 100}, GoLimits{.function_count_max = 1},
        GoLimits{.steps_max = 10}, GoLimits{.pc_values_max = 2}, GoLimits{.inline_depth_max = 1}})
    EXPECT_EQ(Read(program, limits).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(Read(program, {.inline_depth_max = 2}).ok());
  EXPECT_EQ(Read(builder.Program(Place::kSegmentsOnly), {.scan_bytes_max = 0}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(GoPclntabLimits, CycleOfInlinedCallsEnds) {
  GoTableBuilder builder(GoTableVersion::kGo120);
  builder.AddFunction({.name = "main.loop",
                       .size = 8,
                       .lines = {{8, 1}},
                       .inlines = {{8, 0}},
                       .tree = {{.name = "main.loop", .parent_offset = 0}}});
  EXPECT_EQ(Read(builder.Program(Place::kSections)).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(GoPclntab, VisitorErrorEndsTheVisit) {
  GoTableBuilder builder(GoTableVersion::kGo120);
  AddExample(&builder);
  const std::string program = builder.Program(Place::kSections);
  const auto file = ElfFile::Parse(program);
  int calls = 0;
  EXPECT_EQ(VisitGoFunctions(*file, {},
                             [&](const CodeRange&) {
                               ++calls;
                               return absl::AbortedError("enough");
                             })
                .message(),
            "enough");
  EXPECT_EQ(calls, 1);
}

TEST(GoPclntab, ReadsOrRejectsTruncatedAndBrokenTables) {
  for (const GoTableVersion version : kVersions) {
    GoTableBuilder builder(version);
    AddExample(&builder);
    const std::string table = builder.Table();
    for (size_t size = 0; size < table.size(); size += 7)
      static_cast<void>(Read(ProgramOfTable(table.substr(0, size))));
    for (size_t at = 0; at < table.size(); at += 3) {
      std::string broken = table;
      broken[at] = static_cast<char>(broken[at] ^ 0xff);
      static_cast<void>(Read(ProgramOfTable(broken)));
    }
  }
  // A function that ends before it begins.
  GoTableBuilder builder(GoTableVersion::kGo120);
  AddExample(&builder);
  std::string table = builder.Table();
  testing::Poke<uint32_t>(&table, ReadGoTable(table, {})->functab_offset, 100);
  EXPECT_EQ(Read(ProgramOfTable(table)).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(GoPcValues, ZeroEndsTheTableExceptAtItsStart) {
  GoTableBuilder builder(GoTableVersion::kGo120);
  builder.AddFunction({.name = "f", .size = 12, .inlines = {{4, -1}, {8, 3}}});
  const std::string bytes = builder.Table();
  const auto table = ReadGoTable(bytes, {});
  ASSERT_TRUE(table.ok());
  GoPcValues values;
  EXPECT_TRUE(values.Read(*table, 1, 12, 2));
  EXPECT_EQ(values.entries().size(), 2u);
  EXPECT_EQ(values.At(0), -1);
  EXPECT_EQ(values.At(3), -1);
  EXPECT_EQ(values.At(4), 3);
  EXPECT_EQ(values.At(8), -1);
  EXPECT_FALSE(values.Read(*table, 1, 12, 1));
  EXPECT_TRUE(values.Read(*table, UINT32_MAX, 12, 2));
  EXPECT_TRUE(values.entries().empty());
}

}  // namespace
}  // namespace flarestack::elf
