// SPDX-License-Identifier: Apache-2.0
#include "elf/dwarf/dwarf_scopes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "elf/code_cover.h"
#include "elf/testing/line_program.h"

namespace flarestack::elf {
namespace {

std::string Innermost(std::vector<ScopeInterval> intervals) {
  std::vector<ScopeInterval> scratch;
  KeepInnermost(&intervals, &scratch);
  std::string text;
  for (const ScopeInterval& interval : intervals)
    base::StrAppend(&text, text.empty() ? "" : " ", interval.begin, "-", interval.end, ":",
                    interval.scope);
  return text;
}

TEST(DwarfScopesTest, InnermostScopeWins) {
  EXPECT_EQ(Innermost({{0, 90, 0}, {10, 60, 1}, {20, 30, 2}}),
            "0-10:0 10-20:1 20-30:2 30-60:1 60-90:0");
}

TEST(DwarfScopesTest, ScopeThatFillsItsParentHidesIt) {
  EXPECT_EQ(Innermost({{0, 10, 0}, {0, 10, 1}, {0, 10, 2}}), "0-10:2");
}

TEST(DwarfScopesTest, PiecesOfOneScopeMayBeAnywhere) {
  EXPECT_EQ(Innermost({{50, 60, 1}, {0, 10, 0}, {2, 4, 1}, {40, 70, 0}}),
            "0-2:0 2-4:1 4-10:0 40-50:0 50-60:1 60-70:0");
}

TEST(DwarfScopesTest, ResultHasNoOverlapsIfScopesOverlapWithoutNesting) {
  EXPECT_EQ(Innermost({{0, 100, 0}, {10, 30, 1}, {20, 40, 2}}), "0-10:0 10-20:1 20-40:2 40-100:0");
}

TEST(DwarfScopesTest, IgnoresEmptyIntervals) { EXPECT_EQ(Innermost({{5, 5, 0}, {7, 6, 1}}), ""); }

TEST(DwarfScopesTest, SplitsRangesAtLinesAndJoinsEqualOnes) {
  testing::LineProgram program;
  program.File("a.c", 0).File("a.h", 0);
  program.Address(0).Line(1).Row().Advance(10).Line(2).Row().Advance(10).Line(2).Row();
  program.Advance(10).End();
  LineTable lines;
  const std::string section = program.Build();
  ASSERT_TRUE(
      lines.Read({.debug_line = section}, {.directory = "/d"}, {}, [](uint64_t) { return true; })
          .ok());
  const std::vector<Scope> scopes = {
      {.function = "main", .start_line = 1},
      {.function = "inlined", .parent = 0, .call_file = 2, .call_line = 77, .call_column = 8}};
  std::vector<ScopeInterval> intervals = {{0, 40, 0}, {15, 20, 1}};
  std::vector<ScopeInterval> scratch;
  KeepInnermost(&intervals, &scratch);
  std::string text;
  RangeBuilder builder;
  ASSERT_TRUE(builder
                  .Build(scopes, intervals, &lines,
                         [&text](const CodeRange& range) {
                           base::StrAppend(&text, range.begin, "-", range.end);
                           for (const SourceFrame& frame : range.frames)
                             base::StrAppend(&text, " ", frame.function, "@", frame.file, ":",
                                             frame.line);
                           text += '\n';
                           return absl::OkStatus();
                         })
                  .ok());
  EXPECT_EQ(text,
            "0-10 main@/d/a.c:1\n"
            "10-15 main@/d/a.c:2\n"
            "15-20 inlined@/d/a.c:2 main@/d/a.h:77\n"
            "20-30 main@/d/a.c:2\n"
            "30-40 main@:0\n");
}

struct Piece {
  uint64_t begin = 0;
  uint64_t end = 0;
  friend bool operator==(const Piece&, const Piece&) = default;
};

std::vector<Piece> Take(CodeCover* cover, uint64_t begin, uint64_t end) {
  std::vector<Piece> pieces;
  cover->Take(begin, end, &pieces);
  return pieces;
}

TEST(CodeCoverTest, CoversEachAddressOnce) {
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  CodeCover cover;
  EXPECT_THAT(Take(&cover, 10, 20), ElementsAre(Piece{10, 20}));
  EXPECT_THAT(Take(&cover, 10, 20), IsEmpty());
  EXPECT_THAT(Take(&cover, 12, 15), IsEmpty());
  EXPECT_THAT(Take(&cover, 30, 40), ElementsAre(Piece{30, 40}));
  EXPECT_THAT(Take(&cover, 5, 50), ElementsAre(Piece{5, 10}, Piece{20, 30}, Piece{40, 50}));
  EXPECT_THAT(Take(&cover, 0, 60), ElementsAre(Piece{0, 5}, Piece{50, 60}));
  EXPECT_THAT(Take(&cover, 60, 60), IsEmpty());
  EXPECT_THAT(Take(&cover, 55, 65), ElementsAre(Piece{60, 65}));
}

}  // namespace
}  // namespace flarestack::elf
