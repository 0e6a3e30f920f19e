// SPDX-License-Identifier: Apache-2.0
#include "cli/flame/flame_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/flame/flame_view.h"
#include "query/testing/stack_text.h"

namespace flarestack::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FlameDiffTest : public ::testing::Test {
 protected:
  void Compare(std::string_view before_text, std::string_view after_text,
               FlameWidth width = FlameWidth::kUnion,
               query::DiffNorm norm = query::DiffNorm::kNone) {
    const query::StackSet before = query::testing::FromText(before_text);
    const query::StackSet after = query::testing::FromText(after_text);
    diff_ = *query::Compare(before, after, {.norm = norm});
    trees_ = *query::CompareTrees({.before = before, .after = after}, diff_);
    widths_ = MakeWidthTree(trees_, diff_.scale, width);
    style_.emplace(widths_, trees_, diff_);
    view_.emplace(widths_.tree, *style_);
  }

  uint32_t NodeOf(std::string_view name) const {
    const auto& nodes = widths_.tree.nodes;
    const auto found = std::ranges::find(nodes, name, [&](const model::CallTree::Node& node) {
      return std::string_view(widths_.tree.FrameOf(node).name);
    });
    return static_cast<uint32_t>(found - nodes.begin());
  }
  std::string Describe(std::string_view name) const { return style_->Describe(NodeOf(name), 0); }

  query::Diff diff_;
  query::TreeDiff trees_;
  WidthTree widths_;
  std::optional<DiffStyle> style_;
  std::optional<FlameView> view_;
};

constexpr std::string_view kBefore = "main;same 400\nmain;less 400\nmain;gone 100\n";
constexpr std::string_view kAfter = "main;same 410\nmain;less 200\nmain;new 190\n";

TEST_F(FlameDiffTest, UnionContainsRemovedAndAddedFrames) {
  Compare(kBefore, kAfter);
  EXPECT_THAT(view_->Lines({}, {.width = 55}),
              ElementsAre("<all...................................................",
                          "<main..................................................",
                          "|same................<less..............+new......-gone"));
}

TEST_F(FlameDiffTest, WidthFollowsOneSideOnRequest) {
  Compare(kBefore, kAfter, FlameWidth::kBefore);
  EXPECT_EQ(view_->Lines({}, {.width = 45})[2], "<less...............|same...............-gone");
  Compare(kBefore, kAfter, FlameWidth::kAfter);
  EXPECT_EQ(view_->Lines({}, {.width = 40})[2], "|same...............<less.....+new......");
}

TEST_F(FlameDiffTest, ColoursShowTheDirection) {
  Compare("main;a 1000\nmain;b 500\nmain;few 3\n", "main;a 500\nmain;b 1000\nmain;few 9\n");
  EXPECT_EQ(style_->ColourOf(NodeOf("a")), 75);     // strong blue
  EXPECT_EQ(style_->ColourOf(NodeOf("b")), 208);    // strong orange
  EXPECT_EQ(style_->ColourOf(NodeOf("few")), 250);  // too few samples
  EXPECT_EQ(style_->ColourOf(NodeOf("main")), 250);
  EXPECT_THAT(view_->Lines({}, {.width = 40, .use_colour = true})[2],
              HasSubstr("\x1b[48;5;208;38;5;16m>b"));
  EXPECT_THAT(style_->Legend(), HasSubstr("; strongest from 500"));
}

TEST_F(FlameDiffTest, DescribesABoxWithFiveNumbers) {
  Compare(kBefore, kAfter);
  EXPECT_EQ(Describe("less"), "less: 400 -> 200, -200, x0.50, 66.7 % of what went away");
  EXPECT_EQ(Describe("gone"), "gone: 100 -> 0, -100, gone, 33.3 % of what went away");
  EXPECT_EQ(Describe("new"), "new: 0 -> 190, +190, new, 95.0 % of what was added");
  EXPECT_EQ(Describe("same"),
            "same: 400 -> 410, +10, x1.02, 5.0 % of what was added, within noise");
  EXPECT_EQ(style_->Describe(0, 0), "all: 900 -> 800, -100, x0.89, 33.3 % of what went away");
}

TEST_F(FlameDiffTest, ComparesSharesAfterScaling) {
  Compare("main;a 100\nmain;b 100\n", "main;a 1000\nmain;b 3000\n", FlameWidth::kUnion,
          query::DiffNorm::kShare);
  EXPECT_EQ(Describe("b"), "b: 100 -> 3,000, +50, x1.50, 100.0 % of what was added");
  EXPECT_EQ(Describe("main"), "main: 200 -> 4,000, 0, x1.00, within noise");
  EXPECT_EQ(view_->Lines({}, {.width = 25})[2], ">b.............<a........");
}

}  // namespace
}  // namespace flarestack::cli
