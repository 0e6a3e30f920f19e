// SPDX-License-Identifier: Apache-2.0
//
// The reports on one stack set: top, neighbours, lines, tree.
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "query/reports/breakdown.h"
#include "query/reports/line_costs.h"
#include "query/reports/neighbours.h"
#include "query/reports/stack_tree.h"
#include "query/reports/top.h"
#include "query/testing/stack_text.h"

namespace flarestack::query {
namespace {

using testing::FromText;

std::string TopText(std::string_view stacks, TopOrder order = TopOrder::kSelf) {
  const StackSet set = FromText(stacks);
  std::string text;
  for (const TopRow& row : Top(set, order)) {
    base::StrAppend(&text, row.self, " ", row.total, " ", set.table.FunctionOf(row.frame), "\n");
  }
  return text;
}

TEST(TopTest, SelfCountsTheLeafAndTotalTheWholeStack) {
  EXPECT_EQ(TopText("main;parse 3\nmain;parse;read 5\nmain 1\n"),
            "5 5 read\n"
            "3 8 parse\n"
            "1 9 main\n");
  EXPECT_EQ(TopText("main;parse 3\nmain;parse;read 5\nmain 1\n", TopOrder::kTotal),
            "1 9 main\n"
            "3 8 parse\n"
            "5 5 read\n");
}

TEST(TopTest, RecursionCountsOnce) {
  EXPECT_EQ(TopText("f;g;f;g;f 4\n"),
            "4 4 f\n"
            "0 4 g\n");
}

TEST(TopTest, MergesFunctionsByNameAndShowsTheCostliestLocation) {
  const StackSet set = FromText("main;f(a.cc:1) 1\nmain;f(b.cc:2) 5\n");
  const std::vector<TopRow> rows = Top(set, TopOrder::kSelf);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].self, 6);
  EXPECT_EQ(set.table.Text(set.table.At(rows[0].frame).file), "b.cc");
}

TEST(TopTest, OrdersEqualRowsByName) { EXPECT_EQ(TopText("b 1\na 1\n"), "1 1 a\n1 1 b\n"); }

TEST(TopTest, AddsNegativeWeightsOfDifferences) {
  EXPECT_EQ(TopText("a;b 5\na;c -7\n"), "5 5 b\n0 -2 a\n-7 -7 c\n");
}

TEST(BreakdownTest, RowsAddUpToTheTotal) {
  const StackSet set = FromText(
      "a 1 {thread=io}\n"
      "b 2 {thread=io,host=x}\n"
      "c 4 {thread=main,thread=io}\n"
      "d 1\n");
  std::string text;
  for (const BreakdownRow& row : Breakdown(set, "thread"))
    base::StrAppend(&text, row.total, " ", row.is_missing ? "[none]" : row.value, "\n");
  EXPECT_EQ(text, "4 main, io\n3 io\n1 [none]\n");
}

std::string NeighbourText(std::string_view stacks, std::string_view regex) {
  const StackSet set = FromText(stacks);
  std::string text;
  for (const Neighbourhood& at : Neighbours(set, *Pattern::Make(regex))) {
    for (const Neighbour& caller : at.callers)
      base::StrAppend(&text, "  from ", set.table.Text(caller.function), " ", caller.value, "\n");
    base::StrAppend(&text, set.table.Text(at.function), " ", at.self, " ", at.total, "\n");
    for (const Neighbour& callee : at.callees)
      base::StrAppend(&text, "  to ", set.table.Text(callee.function), " ", callee.value, "\n");
  }
  return text;
}

TEST(NeighboursTest, ListsCallersAndCallees) {
  EXPECT_EQ(NeighbourText("a;f;x 3\nb;f;y 4\nb;f 1\n", "^f$"),
            "  from b 5\n"
            "  from a 3\n"
            "f 1 8\n"
            "  to y 4\n"
            "  to x 3\n");
}

TEST(NeighboursTest, CountsAPairOncePerStackAndNoSelfCalls) {
  EXPECT_EQ(NeighbourText("f;g;f;g;g 3\n", "^g$"),
            "  from f 3\n"
            "g 3 3\n"
            "  to f 3\n");
}

TEST(LineCostsTest, ReportsTheCostOfEachLine) {
  const StackSet set = FromText(
      "main(m.cc:1);f(a.cc:10) 3\n"
      "main(m.cc:1);f(a.cc:12);g(b.cc:5) 4\n"
      "main(m.cc:2);f(a.cc:10);f(a.cc:10) 2\n");
  std::string text;
  for (const LineCost& cost : LineCosts(set, *Pattern::Make("^f$"))) {
    base::StrAppend(&text, set.table.Text(cost.file), ":", cost.line, " ", cost.self, " ",
                    cost.total, "\n");
  }
  EXPECT_EQ(text,
            "a.cc:10 5 5\n"
            "a.cc:12 0 4\n");
}

TEST(StackTreeTest, StacksShareTheirCallers) {
  const auto tree = StackTree(FromText("main;b 3\nmain;a;x 1\nmain;b;x 2\n"));
  ASSERT_TRUE(tree.ok());
  std::string text;
  for (const model::CallTree::Node& node : tree->nodes) {
    base::StrAppend(&text, node.depth, " ", tree->FrameOf(node).name, " ", node.self, " ",
                    node.total, "\n");
  }
  EXPECT_EQ(text,
            "0  0 6\n"
            "1 main 0 6\n"
            "2 a 0 1\n"
            "2 b 3 5\n"
            "3 x 1 1\n"
            "3 x 2 2\n");
}

}  // namespace
}  // namespace flarestack::query
