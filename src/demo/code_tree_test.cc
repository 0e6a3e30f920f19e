// SPDX-License-Identifier: Apache-2.0
#include "demo/code_tree.h"

#include <gtest/gtest.h>

#include <map>

#include "base/text.h"
#include "demo/shop_code.h"

namespace flarestack::demo {
namespace {

std::string ToText(const CodeTree& tree) {
  std::string text;
  for (const WeightedStack& stack : tree.stacks) {
    for (const Frame& frame : stack.root_first) {
      base::StrAppend(&text, frame.is_inlined ? "~" : "", frame.function, "|", frame.file, "|",
                      frame.line, "|", frame.type, ";");
    }
    base::StrAppend(&text, " ", stack.weight, "\n");
  }
  return text;
}

TEST(CodeTreeTest, SpacesAreTheDepthAndAWeightEndsAStack) {
  EXPECT_EQ(ToText(ParseCodeTree(R"(
main @ main.cc:31
 main.(*server).serve @ a b.go:7 * 2
  ~leaf @ leaf.h:9 * 3
 [kernel] entry @ entry.S:1
  read @ fs/read.c:2 * 4
 other @ other.cc:5 * 1
)",
                                 "native")),
            "main|main.cc|31|native;main.(*server).serve|a b.go|7|native; 2\n"
            "main|main.cc|31|native;main.(*server).serve|a b.go|7|native;"
            "~leaf|leaf.h|9|native; 3\n"
            "main|main.cc|31|native;entry|entry.S|1|kernel;read|fs/read.c|2|kernel; 4\n"
            "main|main.cc|31|native;other|other.cc|5|native; 1\n");
}

TEST(CodeTreeTest, StacksArePickedByTheirWeight) {
  const CodeTree tree = ParseCodeTree("a @ a:1 * 3\nb @ b:1 * 1\n", "native");
  Random random(1, "test", 0);
  std::map<std::string_view, int> picked;
  for (int i = 0; i < 8000; ++i)
    ++picked[tree.Pick(&random).root_first[0].function];
  EXPECT_NEAR(picked["a"], 6000, 200);
  EXPECT_NEAR(picked["b"], 2000, 200);
}

// Whoever asks what changed is led to the search: no part of it is half of the whole.
TEST(CodeTreeTest, TheSearchIsNotHiddenByOneOfItsParts) {
  const CodeTree& tree = TreeOf(Code::kSearchCoupons);
  std::map<std::string_view, uint64_t> below;
  for (const WeightedStack& stack : tree.stacks) {
    size_t at = 0;
    while (stack.root_first[at].function != "std::regex_search")
      ++at;
    EXPECT_EQ(stack.root_first[at - 1].function, "shop::Coupon::matches");
    EXPECT_EQ(stack.root_first[at - 1].line, 88);
    if (at + 1 < stack.root_first.size())
      below[stack.root_first[at + 1].function] += stack.weight;
  }
  for (const auto& [function, weight] : below)
    EXPECT_LT(weight * 2, tree.weight) << function;
}

}  // namespace
}  // namespace flarestack::demo
