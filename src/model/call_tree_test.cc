// SPDX-License-Identifier: Apache-2.0
#include "model/call_tree.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "base/text/text.h"

namespace flarestack::model {
namespace {

// Lines of "a;b;c 12".
CallTree FromText(const std::string& text) {
  CallTreeBuilder builder;
  std::istringstream lines(text);
  std::string stack;
  int64_t weight = 0;
  while (lines >> stack >> weight) {
    std::vector<CallFrameId> ids;
    std::istringstream names(stack);
    for (std::string name; std::getline(names, name, ';');) {
      ids.push_back(builder.Frame({.name = name}));
    }
    EXPECT_TRUE(builder.Add(ids, weight).ok());
  }
  return std::move(builder).Finish();
}

// Depth first, "name total self", indented by two spaces per level.
std::string ToText(const CallTree& tree) {
  std::string text;
  std::vector<uint32_t> open = {0};
  while (!open.empty()) {
    const CallTree::Node& node = tree.nodes[open.back()];
    open.pop_back();
    const std::string& name = tree.FrameOf(node).name;
    base::StrAppend(&text, std::string(node.depth * 2, ' '), name.empty() ? "(all)" : name, " ",
                    node.total, " ", node.self, "\n");
    for (uint32_t i = node.children.end(); i-- > node.children.begin;) {
      open.push_back(i);
    }
  }
  return text;
}

TEST(CallTreeTest, StacksShareTheirCallers) {
  EXPECT_EQ(ToText(FromText("main;run;parse 3\n"
                            "main;run;alloc 4\n"
                            "main;run 1\n"
                            "main;run;parse;alloc 2\n")),
            "(all) 10 0\n"
            "  main 10 0\n"
            "    run 10 1\n"
            "      alloc 4 4\n"
            "      parse 5 3\n"
            "        alloc 2 2\n");
}

TEST(CallTreeTest, OrdersChildrenByNameRegardlessOfStackOrder) {
  const std::string expected = "(all) 6 0\n  a 1 1\n  b 2 2\n  c 3 3\n";
  EXPECT_EQ(ToText(FromText("c 3\na 1\nb 2\n")), expected);
  EXPECT_EQ(ToText(FromText("b 2\nc 3\na 1\n")), expected);
}

TEST(CallTreeTest, RecursionMakesANodePerLevel) {
  EXPECT_EQ(ToText(FromText("f;f;f 2\n")), "(all) 2 0\n  f 2 0\n    f 2 0\n      f 2 2\n");
}

TEST(CallTreeTest, EmptyStackIsSelfWeightOfTheRoot) {
  CallTreeBuilder builder;
  ASSERT_TRUE(builder.Add({}, 5).ok());
  EXPECT_EQ(ToText(std::move(builder).Finish()), "(all) 5 5\n");
}

TEST(CallTreeTest, NoStacksMakeOnlyARoot) { EXPECT_EQ(ToText(FromText("")), "(all) 0 0\n"); }

TEST(CallTreeTest, SameNameInTwoModulesIsTwoNodes) {
  CallTreeBuilder builder;
  const CallFrameId a = builder.Frame({.name = "init", .module = "a.so"});
  const CallFrameId b = builder.Frame({.name = "init", .module = "b.so"});
  EXPECT_EQ(a, builder.Frame({.name = "init", .module = "a.so"}));
  ASSERT_TRUE(builder.Add({{b}}, 1).ok());
  ASSERT_TRUE(builder.Add({{a}}, 2).ok());
  EXPECT_EQ(ToText(std::move(builder).Finish()), "(all) 3 0\n  init 2 2\n  init 1 1\n");
}

TEST(CallTreeTest, StackOfAHundredThousandFramesIsATreeOfThatDepth) {
  CallTreeBuilder builder;
  const std::vector<CallFrameId> stack(100'000, builder.Frame({.name = "f"}));
  ASSERT_TRUE(builder.Add(stack, 7).ok());
  const CallTree tree = std::move(builder).Finish();
  EXPECT_EQ(tree.nodes.size(), 100'001U);
  EXPECT_EQ(tree.depth_max, 100'000U);
  EXPECT_EQ(tree.root().total, 7);
  EXPECT_EQ(tree.nodes.back().self, 7);
}

TEST(CallTreeTest, TotalsSaturateInsteadOfOverflowing) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  CallTreeBuilder builder;
  ASSERT_TRUE(builder.Add({{builder.Frame({.name = "a"})}}, kMax).ok());
  ASSERT_TRUE(builder.Add({{builder.Frame({.name = "b"})}}, kMax).ok());
  EXPECT_EQ(std::move(builder).Finish().root().total, kMax);
}

TEST(CallTreeTest, MoreNodesThanAllowedIsAnError) {
  CallTreeBuilder builder(/*nodes_max=*/3);
  const CallFrameId f = builder.Frame({.name = "f"});
  EXPECT_TRUE(builder.Add({{f, f}}, 1).ok());
  EXPECT_EQ(builder.Add({{f, f, f}}, 1).code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace flarestack::model
