// SPDX-License-Identifier: Apache-2.0
#include "query/traces/span_tree.h"

#include <gtest/gtest.h>

#include "base/text/text.h"
#include "query/testing/trace_text.h"

namespace flarestack::query {
namespace {

constexpr std::string_view kMarks = " .?@";  // root, found, missing, cut

// Indented by depth, with self time: "a 20".
std::string ToText(const model::TraceBatch& batch) {
  const SpanTree tree = BuildSpanTree(batch);
  const std::vector<uint64_t> self = SelfTimes(tree);
  std::string text;
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const SpanNode& node = tree.nodes[i];
    const char mark = kMarks[static_cast<size_t>(node.parent_kind)];
    base::StrAppend(&text, std::string(node.depth, ' '), batch.spans[node.span].name, " ", self[i],
                    i == tree.main_root ? " main" : "", mark == '?' ? " orphan" : "",
                    mark == '@' ? " cut" : "", "\n");
  }
  return text;
}

TEST(SpanTreeTest, PutsChildrenBelowTheirParentByStart) {
  EXPECT_EQ(ToText(testing::TraceFromText(R"(
    shop a - 0 100
    shop c a 50 70
    cart b a 10 40
    cart d b 20 30
  )")),
            "a 50 main\n"
            " b 20\n"
            "  d 10\n"
            " c 20\n");
}

TEST(SpanTreeTest, CountsTimeThatChildrenShareOnce) {
  EXPECT_EQ(ToText(testing::TraceFromText(R"(
    shop a - 10 100
    shop b a 20 60
    shop c a 40 80
    shop d a 50 55
    shop e a 90 500
    shop f a 0 15
  )")),
            "a 15 main\n f 15\n b 40\n c 40\n d 5\n e 410\n");
}

TEST(SpanTreeTest, KeepsOrphansAndPrefersARoot) {
  EXPECT_EQ(ToText(testing::TraceFromText(R"(
    shop a x 0 900
    shop b a 1 2
    shop c - 5 9
    shop d - 6 7
  )")),
            "a 899 orphan\n b 1\nc 4 main\nd 1\n");
}

TEST(SpanTreeTest, BreaksCyclesAtTheirEarliestSpan) {
  EXPECT_EQ(ToText(testing::TraceFromText(R"(
    shop a c 10 20
    shop b a 5 20
    shop c b 30 40
    shop d c 0 1
    shop e e 7 8
  )")),
            "b 15 main cut\n"
            " c 10\n"
            "  d 1\n"
            "  a 10\n"
            "e 1 cut\n");
}

TEST(SpanTreeTest, HandlesChainsAndCyclesOfAnySize) {
  std::string chain = "s n0 - 0 1\n";
  std::string cycle = "s n0 n99999 0 1\n";
  for (int i = 1; i < 100'000; ++i) {
    const std::string line = base::StrCat("s n", i, " n", i - 1, " 0 1\n");
    chain += line;
    cycle += line;
  }
  EXPECT_EQ(BuildSpanTree(testing::TraceFromText(chain)).nodes.back().depth, 99'999u);
  EXPECT_EQ(BuildSpanTree(testing::TraceFromText(cycle)).nodes.size(), 100'000u);
}

TEST(SpanTreeTest, IsEmptyWithoutSpans) {
  EXPECT_EQ(BuildSpanTree(model::TraceBatch()).main_root, kNoNode);
}

}  // namespace
}  // namespace flarestack::query
