// SPDX-License-Identifier: Apache-2.0
#include "demo/code/shop_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace flarestack::demo {
namespace {

std::vector<Code> RunningCodes() {
  std::vector<Code> codes;
  for (size_t i = 0; i < kCodeCount; ++i) {
    if (WaitStateOf(static_cast<Code>(i)).empty())
      codes.push_back(static_cast<Code>(i));
  }
  return codes;
}

TEST(ShopCodeTest, HasARealisticNumberOfFunctions) {
  std::set<std::string_view> functions;
  std::set<std::string_view> types;
  for (size_t i = 0; i < kCodeCount; ++i) {
    for (const WeightedStack& stack : TreeOf(static_cast<Code>(i)).stacks) {
      for (const Frame& frame : stack.root_first) {
        functions.insert(frame.function);
        types.insert(frame.type);
      }
    }
  }
  EXPECT_GE(functions.size(), 400u);
  EXPECT_EQ(types,
            (std::set<std::string_view>{"cpython", "go", "jvm", "kernel", "native", "v8js"}));
}

TEST(ShopCodeTest, StacksAreDeepAndUneven) {
  for (const Code code : {Code::kServeOrder, Code::kSearchCoupons, Code::kRenderPage,
                          Code::kReserveStock, Code::kCharge, Code::kRankItems}) {
    const CodeTree& tree = TreeOf(code);
    const auto depth = [](const WeightedStack& stack) { return stack.root_first.size(); };
    EXPECT_GE(depth(*std::ranges::max_element(tree.stacks, {}, depth)), 24u);
    const auto [least, most] = std::ranges::minmax_element(tree.stacks, {}, &WeightedStack::weight);
    EXPECT_GT(most->weight, least->weight * 4);
  }
}

TEST(ShopCodeTest, StacksDoNotLeaveTheKernel) {
  for (const Code code : RunningCodes()) {
    for (const WeightedStack& stack : TreeOf(code).stacks) {
      const auto kernel = std::ranges::find(stack.root_first, "kernel", &Frame::type);
      EXPECT_TRUE(std::all_of(kernel, stack.root_first.end(),
                              [](const Frame& frame) { return frame.type == "kernel"; }));
      if (kernel == stack.root_first.end())
        continue;
      EXPECT_TRUE(kernel->function == "entry_SYSCALL_64_after_hwframe" ||
                  kernel->function == "asm_exc_page_fault")
          << kernel->function;
    }
  }
}

// A comparison of the versions must end at the search, so no part of it may be half of the whole.
TEST(ShopCodeTest, NoPartOfTheSearchIsHalfOfIt) {
  const CodeTree& tree = TreeOf(Code::kSearchCoupons);
  std::map<std::string_view, double> below;
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
