// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/code_page.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/file/mapped_file.h"
#include "base/text/text.h"
#include "elf/testing/own_files.h"
#include "record/unwind/testing/rows_text.h"

namespace flarestack::record::unwind {
namespace {

bpf::unwind_rule RuleWithOffset(int32_t offset) {
  bpf::unwind_rule rule = RuleOfKind(bpf::RULE_CFA);
  rule.cfa_base = bpf::REG_SP;
  rule.cfa_offset = offset;
  return rule;
}

TEST(RuleTableTest, GivesEachRuleOneIndexAndReservesTheFirstForNone) {
  RuleTable table;
  EXPECT_EQ(table.IndexOf(RuleOfKind(bpf::RULE_NONE)), 0u);
  EXPECT_EQ(table.IndexOf(RuleWithOffset(8)), 1u);
  EXPECT_EQ(table.IndexOf(RuleWithOffset(16)), 2u);
  EXPECT_EQ(table.IndexOf(RuleWithOffset(8)), 1u);
  ASSERT_EQ(table.rules().size(), 3u);
  EXPECT_EQ(table.rules()[0].kind, bpf::RULE_NONE);
  EXPECT_EQ(table.rules()[2].cfa_offset, 16);
}

TEST(RuleTableTest, CountsRulesThatDoNotFitAndReturnsNone) {
  RuleTable table;
  for (int32_t i = 1; i < bpf::RULES_MAX; ++i)
    EXPECT_EQ(table.IndexOf(RuleWithOffset(i)), i);
  EXPECT_EQ(table.rejected_count(), 0u);
  EXPECT_EQ(table.IndexOf(RuleWithOffset(-1)), 0u);
  EXPECT_EQ(table.rejected_count(), 1u);
  EXPECT_EQ(table.IndexOf(RuleWithOffset(7)), 7u) << "what is there stays";
  EXPECT_EQ(table.rules().size(), static_cast<size_t>(bpf::RULES_MAX));
}

TEST(CodePagesTest, ContainLowAddressBitsAndRuleNumbers) {
  RuleTable rules;
  const Row rows[] = {{.address = 0x30000, .rule = RuleWithOffset(8)},
                      {.address = 0x31234, .rule = RuleOfKind(bpf::RULE_NONE)},
                      {.address = 0x3ffff, .rule = RuleWithOffset(8)}};
  const CodePage page = MakeCodePage(rows, &rules);
  ASSERT_EQ(page.rows.size(), 3u);
  EXPECT_EQ(page.rows[0].low, 0u);
  EXPECT_EQ(page.rows[0].rule, 1u);
  EXPECT_EQ(page.rows[1].low, 0x1234u);
  EXPECT_EQ(page.rows[1].rule, 0u);
  EXPECT_EQ(page.rows[2].low, 0xffffu);
  EXPECT_EQ(page.rows[2].rule, 1u);
}

TEST(CodePagesTest, MarkTheCodeOfLanguages) {
  const Row rows[] = {{.address = 0x30000, .rule = RuleWithOffset(8)},
                      {.address = 0x30100, .rule = RuleWithOffset(16)},
                      {.address = 0x30200, .rule = RuleOfKind(bpf::RULE_NONE)},
                      {.address = 0x30300, .rule = RuleWithOffset(8)}};
  const elf::AddressRange loops[] = {{.begin = 0x30080, .end = 0x30280},
                                     {.begin = 0x30300, .end = 0x41000}};
  const elf::AddressRange generated[] = {{.begin = 0x30240, .end = 0x30260}};
  std::string text;
  for (const Row& row : MarkLanguageCode(rows, {.loops = loops, .generated = generated})) {
    text += base::StrCat(base::Hex(row.address), " ", row.rule.cfa_offset,
                         (row.rule.flags & bpf::RULE_INTERPRETER) != 0 ? " loop" : "",
                         row.rule.kind == bpf::RULE_GENERATED ? " generated" : "", "\n");
  }
  EXPECT_EQ(text,
            "0x30000 8\n"
            "0x30080 8 loop\n"
            "0x30100 16 loop\n"
            "0x30200 0\n"
            "0x30240 0 generated\n"
            "0x30260 0\n"
            "0x30280 0\n"
            "0x30300 8 loop\n");
}

TEST(CodePagesTest, JoinsRowsWithoutARule) {
  RuleTable rules(2);
  const Row rows[] = {{.address = 0x30000, .rule = RuleWithOffset(8)},
                      {.address = 0x30010, .rule = RuleWithOffset(16)},
                      {.address = 0x30020, .rule = RuleWithOffset(24)},
                      {.address = 0x30030, .rule = RuleWithOffset(8)}};
  const CodePage page = MakeCodePage(rows, &rules);
  ASSERT_EQ(page.rows.size(), 3u);
  EXPECT_EQ(page.rows[1].rule, 0u);
  EXPECT_EQ(page.rows[2].low, 0x30u);
  EXPECT_EQ(rules.rejected_count(), 2u);
}

TEST(CodePagesTest, PageHasNoMoreRowsThanAChunk) {
  RuleTable rules;
  std::vector<Row> rows;
  for (uint64_t i = 0; i < 0x10000; ++i)
    rows.push_back({.address = i, .rule = RuleWithOffset(i % 2 == 0 ? 8 : 16)});
  const CodePage page = MakeCodePage(rows, &rules);
  EXPECT_EQ(page.rows.size(), static_cast<size_t>(bpf::ROWS_PER_CHUNK));
  EXPECT_EQ(page.rows.back().rule, 0u) << "no rules after the rows that fit";
  EXPECT_EQ(page.cut_row_count, 0x10000u - bpf::ROWS_PER_CHUNK + 1);
}

// Looking up a row like BPF does yields the rule of the table.
TEST(CodePagesTest, MatchTheUnwindTableOfTheCLibrary) {
  const auto file = base::MappedFile::Open(elf::testing::CLibraryPath());
  if (!file.ok())
    GTEST_SKIP() << "no C library in a file";
  const auto parsed = elf::ElfFile::Parse(file->bytes());
  const auto table = UnwindTable::Of(*parsed);
  ASSERT_TRUE(table.ok()) << table.status();
  RuleTable rules;
  size_t row_count = 0;
  for (uint64_t number = 0; number < 32; ++number) {
    const CodePage page = MakeCodePage(*table, number, &rules);
    ASSERT_FALSE(page.rows.empty());
    ASSERT_EQ(page.rows[0].low, 0u);
    row_count += page.rows.size();
    for (uint32_t low = 0; low < 0x10000; low += 997) {
      const auto after =
          std::upper_bound(page.rows.begin(), page.rows.end(), low,
                           [](uint32_t at, const bpf::unwind_row& row) { return at < row.low; });
      const bpf::unwind_rule& rule = rules.rules()[(after - 1)->rule];
      ASSERT_EQ(testing::ToText(rule), testing::ToText(table->Find((number << 16) + low)));
    }
  }
  EXPECT_GT(row_count, 5000u);
  EXPECT_LT(rules.rules().size(), 2000u);
}

}  // namespace
}  // namespace flarestack::record::unwind
