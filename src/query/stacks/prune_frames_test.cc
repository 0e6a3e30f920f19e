// SPDX-License-Identifier: Apache-2.0
#include "query/stacks/prune_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query/testing/stack_text.h"

namespace flarestack::query {
namespace {

std::string Pruned(std::string_view text, const UninterestingFrames& frames) {
  StackSet set = testing::FromText(text);
  const absl::Status status = PruneFrames(frames, &set);
  return status.ok() ? testing::ToText(set) : std::string(status.message());
}

TEST(PruneFramesTest, RemovesAMatchWithItsCallees) {
  EXPECT_EQ(Pruned("main;work;malloc;brk 3\nmain;work 4\nmain;free 5\n",
                   {.drop = "malloc|free", .keep = ""}),
            "main;work 7\nmain 5\n");
}

// The first one from the root, as pprof does.
TEST(PruneFramesTest, OutermostMatchWins) {
  EXPECT_EQ(Pruned("main;malloc;hook;malloc;brk 3\n", {.drop = "malloc", .keep = ""}), "main 3\n");
}

TEST(PruneFramesTest, ComparesWholeNames) {
  EXPECT_EQ(Pruned("main;mallocator 3\nmain;xmalloc 4\n", {.drop = "malloc|x", .keep = ""}),
            "main;mallocator 3\nmain;xmalloc 4\n");
}

TEST(PruneFramesTest, IgnoresArgumentsInNames) {
  const auto pruned = [](std::string_view name, const std::string& drop) {
    StackSet set;
    FrameTable& table = set.table;
    for (const std::string_view function : {std::string_view("main"), name})
      set.stack_frames.push_back(table.AddFrame({.function = table.AddText(function)}));
    set.rows.push_back({.frames = {.begin = 0, .count = 2}, .value = 3});
    EXPECT_TRUE(PruneFrames({.drop = drop, .keep = ""}, &set).ok());
    return set.rows[0].frames.count == 1;
  };
  EXPECT_TRUE(pruned("alloc(int)", "alloc"));
  EXPECT_TRUE(pruned(".alloc", "alloc"));
  EXPECT_TRUE(pruned("(anonymous namespace)::alloc(int)", "\\(anonymous namespace\\)::alloc"));
  EXPECT_TRUE(pruned("Pool::operator()(int)", "Pool::operator\\(\\)"));
  EXPECT_FALSE(pruned("alloc(int)", "alloc\\(int\\)"));
}

TEST(PruneFramesTest, KeepExpressionWins) {
  EXPECT_EQ(Pruned("main;operator new;x 3\nmain;operator delete;x 4\n",
                   {.drop = "operator .*", .keep = "operator new"}),
            "main;operator new;x 3\nmain 4\n");
}

// Matching frames at the root are kept: something has to carry the cost.
TEST(PruneFramesTest, KeepsMatchesAtTheRoot) {
  EXPECT_EQ(Pruned("malloc;brk 3\nmalloc;main;malloc;brk 4\n", {.drop = "malloc|brk", .keep = ""}),
            "malloc;brk 3\nmalloc;main 4\n");
}

TEST(PruneFramesTest, RemovesNothingWithoutAnExpression) {
  EXPECT_EQ(Pruned("main;malloc 3\n", {.drop = "", .keep = "x"}), "main;malloc 3\n");
}

TEST(PruneFramesTest, ReportsABadExpression) {
  EXPECT_THAT(Pruned("main 3\n", {.drop = "(", .keep = ""}), ::testing::HasSubstr("regular"));
}

}  // namespace
}  // namespace flarestack::query
