// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/rows/row_builder.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "record/unwind/testing/rows_text.h"

namespace flarestack::record::unwind {
namespace {

const bpf::unwind_rule kNone = RuleOfKind(bpf::RULE_NONE);
const bpf::unwind_rule kStop = RuleOfKind(bpf::RULE_STOP);
const bpf::unwind_rule kSignal = RuleOfKind(bpf::RULE_SIGNAL);

std::string Finish(RowBuilder builder) { return testing::ToText(std::move(builder).Finish()); }

TEST(RowBuilderTest, StartsWithoutRules) {
  EXPECT_EQ(Finish(RowBuilder({.begin = 0x100, .end = 0x200})), "0x100 none\n");
}

TEST(RowBuilderTest, KeepsOnlyChanges) {
  RowBuilder builder({.begin = 0x100, .end = 0x200});
  builder.Begin(0x110, kStop);
  builder.Begin(0x120, kStop);
  builder.Begin(0x130, kSignal);
  builder.Begin(0x200, kStop);
  EXPECT_EQ(Finish(builder), "0x100 none\n0x110 stop\n0x130 signal\n");
}

TEST(RowBuilderTest, EarlierRuleAppliesFromTheBeginning) {
  RowBuilder builder({.begin = 0x100, .end = 0x200});
  builder.Begin(0x80, kStop);
  builder.Begin(0x90, kSignal);
  EXPECT_EQ(Finish(builder), "0x100 signal\n");
}

TEST(RowBuilderTest, LaterRuleReplacesTheRowsAfterIt) {
  RowBuilder builder({.begin = 0x100, .end = 0x200});
  builder.Begin(0x110, kStop);
  builder.Begin(0x120, kSignal);
  builder.Begin(0x130, kStop);
  builder.Begin(0x118, kNone);
  EXPECT_EQ(Finish(builder), "0x100 none\n0x110 stop\n0x118 none\n");
}

TEST(RowBuilderTest, OnlySmallGapsBetweenFunctionsArePadding) {
  for (const uint64_t gap : {uint64_t{0}, uint64_t{15}, uint64_t{16}}) {
    RowBuilder builder({.begin = 0x100, .end = 0x200});
    builder.BeginFunction(0x100);
    builder.Begin(0x100, kStop);
    builder.EndFunction(0x110);
    builder.BeginFunction(0x110 + gap);
    builder.Begin(0x110 + gap, kSignal);
    builder.EndFunction(0x180);
    EXPECT_EQ(Finish(builder), gap == 0    ? "0x100 stop\n0x110 signal\n0x180 none\n"
                               : gap == 15 ? "0x100 stop\n0x11f signal\n0x180 none\n"
                                           : "0x100 stop\n0x110 none\n0x120 signal\n0x180 none\n");
  }
}

TEST(FillGapsTest, OtherRowsFillUnknownRanges) {
  const std::vector<Row> rows = {{0x100, kNone}, {0x120, kStop}, {0x140, kNone}, {0x160, kStop}};
  const std::vector<Row> others = {
      {0x100, kSignal}, {0x110, kNone}, {0x130, kSignal}, {0x150, kStop}};
  EXPECT_EQ(testing::ToText(FillGaps(rows, others)),
            "0x100 signal\n0x110 none\n0x120 stop\n0x140 signal\n0x150 stop\n");
  EXPECT_TRUE(FillGaps(rows, {{0x100, kNone}}) == rows);
  EXPECT_TRUE(FillGaps({{0x100, kNone}}, rows) == rows);
}

TEST(RuleAtTest, ReturnsTheLastRowBeforeTheAddress) {
  const std::vector<Row> rows = {{0x100, kNone}, {0x120, kStop}};
  EXPECT_EQ(RuleAt(rows, 0x100).kind, bpf::RULE_NONE);
  EXPECT_EQ(RuleAt(rows, 0x11f).kind, bpf::RULE_NONE);
  EXPECT_EQ(RuleAt(rows, 0x120).kind, bpf::RULE_STOP);
  EXPECT_EQ(RuleAt(rows, UINT64_MAX).kind, bpf::RULE_STOP);
}

}  // namespace
}  // namespace flarestack::record::unwind
