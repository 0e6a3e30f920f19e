// SPDX-License-Identifier: Apache-2.0
#include "query/diff/tree_diff.h"

#include <gtest/gtest.h>

#include "base/text/text.h"
#include "query/testing/stack_text.h"

namespace flarestack::query {
namespace {

using testing::FromInstances;
using testing::FromText;

std::string TreeText(const StackSet& before, const StackSet& after) {
  const auto diff = Compare(before, after, {.norm = DiffNorm::kNone});
  const auto trees = CompareTrees({.before = before, .after = after}, *diff);
  std::string text;
  for (size_t i = 1; i < trees->tree.nodes.size(); ++i) {
    const UnionTree::Node& node = trees->tree.nodes[i];
    text +=
        fmt::format("{}<{} {} -> {} {:+.0f}{}\n", trees->tree.functions[node.function],
                    trees->tree.functions[trees->tree.nodes[node.parent].function], node.total[0],
                    node.total[1], trees->deltas[i], trees->verdicts[i].is_significant ? " *" : "");
  }
  return text + fmt::format("+{:.0f} -{:.0f}\n", trees->added, trees->removed);
}

TEST(TreeDiffTest, TestsEachPathSeparately) {
  EXPECT_EQ(TreeText(FromText("main;a;read 1000\nmain;b;read 300\nmain;old 100\n"),
                     FromText("main;a;read 1000\nmain;b;read 600\nmain;new 5\n")),
            "main< 1400 -> 1605 +205 *\n"
            "a<main 1000 -> 1000 +0\n"
            "read<a 1000 -> 1000 +0\n"
            "b<main 300 -> 600 +300 *\n"
            "read<b 300 -> 600 +300 *\n"
            "old<main 100 -> 0 -100 *\n"
            "new<main 0 -> 5 +5\n"  // too few samples
            "+305 -100\n");
}

TEST(TreeDiffTest, ChainHasOneVerdict) {
  EXPECT_EQ(TreeText(FromText("main;a;b;c 100\nmain;x 500\n"),
                     FromText("main;a;b;c 300\nmain;a;d 5\nmain;x 500\n")),
            "main< 600 -> 805 +205 *\n"
            "a<main 100 -> 305 +205 *\n"
            "b<a 100 -> 300 +200 *\n"
            "c<b 100 -> 300 +200 *\n"
            "x<main 500 -> 500 +0\n"
            "d<a 0 -> 5 +5\n"
            "+205 -0\n");
}

TEST(TreeDiffTest, ResamplesInstances) {
  const std::vector<std::string> before(6, "main;a 500\n");
  std::vector<std::string> after = before;
  after[2] = "main;a 5000\n";  // one outlier
  EXPECT_EQ(TreeText(FromInstances(before), FromInstances(after)),
            "main< 3000 -> 7500 +4500\n"
            "a<main 3000 -> 7500 +4500\n"
            "+4500 -0\n");
}

}  // namespace
}  // namespace flarestack::query
