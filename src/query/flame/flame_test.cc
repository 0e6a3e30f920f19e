// SPDX-License-Identifier: Apache-2.0
#include "query/flame/flame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/byte_reader.h"
#include "base/text/text.h"
#include "query/flame/flame_container.h"
#include "query/stacks/path_hash.h"
#include "query/testing/stack_text.h"

namespace flarestack::query {
namespace {

constexpr std::string_view kShop =
    "main;serve;parse;read 3\n"
    "main;serve;render 5\n"
    "main;gc 2\n"
    "main 1\n";

// One node per line, indented by its depth.
std::string ToText(const Flame& flame) {
  std::string text;
  for (size_t i = 0; i < flame.nodes.size(); ++i) {
    const Flame::Node& node = flame.nodes[i];
    const std::string& name = flame.frames[node.frame].name;
    base::StrAppend(&text, std::string(node.depth * 2, ' '), name.empty() ? "all" : name);
    if (node.folded != 0)
      base::StrAppend(&text, " of ", node.folded);
    for (const std::vector<int64_t>& column : flame.self)
      base::StrAppend(&text, " ", column[i]);
    text += "\n";
  }
  return text;
}

std::string Cut(const ValueTree& tree, const FlameOptions& options) {
  const auto flame = CutFlame(tree, options);
  return flame.ok() ? ToText(*flame) : std::string(flame.status().message());
}

std::string Cut(std::string_view stacks, const FlameOptions& options) {
  return Cut(*MakeValueTree(testing::FromText(stacks)), options);
}

uint64_t PathOf(std::initializer_list<std::string_view> names) {
  uint64_t hash = kRootPathHash;
  for (const std::string_view name : names)
    hash = PathHash(hash, name);
  return hash;
}

TEST(FlameTest, ShowsAllNodesThatFit) {
  EXPECT_EQ(Cut(kShop, {}),
            "all 0\n"
            "  main 1\n"
            "    serve 0\n"
            "      render 5\n"
            "      parse 0\n"
            "        read 3\n"
            "    gc 2\n");
  EXPECT_EQ(Cut(kShop, {.order = SiblingOrder::kName}),
            "all 0\n"
            "  main 1\n"
            "    gc 2\n"
            "    serve 0\n"
            "      parse 0\n"
            "        read 3\n"
            "      render 5\n");
  EXPECT_EQ(Cut("", {}), "all 0\n");
}

TEST(FlameTest, SumsOmittedNodes) {
  EXPECT_EQ(Cut(kShop, {.nodes_max = 4}),
            "all 0\n"
            "  main 1\n"
            "    serve 0\n"
            "      render 5\n"
            "      (other) of 2 3\n"
            "    (other) of 1 2\n");
  EXPECT_EQ(Cut(kShop, {.share_min = 0.25}),
            "all 0\n"
            "  main 1\n"
            "    serve 0\n"
            "      render 5\n"
            "      parse 0\n"
            "        read 3\n"
            "    (other) of 1 2\n");
  EXPECT_EQ(Cut(kShop, {.depth_max = 1}), "all 0\n  main 1\n    (other) of 5 10\n");
}

TEST(FlameTest, ShowsTheSubtreeOfANode) {
  const auto flame =
      CutFlame(*MakeValueTree(testing::FromText(kShop)), {.root = PathOf({"main", "serve"})});
  ASSERT_TRUE(flame.ok());
  EXPECT_EQ(ToText(*flame), "serve 0\n  render 5\n  parse 0\n    read 3\n");
  EXPECT_THAT(flame->path, ::testing::ElementsAre("main"));
  EXPECT_EQ(Cut(kShop, {.root = PathOf({"main", "nothing"})}),
            "no call path in these profiles has this hash");
  EXPECT_EQ(Cut(kShop, {.depth_max = 1, .root = kRootPathHash}), Cut(kShop, {.depth_max = 1}));
}

TEST(FlameTest, ShowsSomeOfManyEqualNodes) {
  std::string stacks;
  for (int i = 0; i < 100; ++i)
    base::StrAppend(&stacks, "f", i, " 1\n");
  const auto flame = CutFlame(*MakeValueTree(testing::FromText(stacks)), {.nodes_max = 10});
  ASSERT_TRUE(flame.ok());
  EXPECT_EQ(flame->nodes.size(), 11u);
  EXPECT_EQ(flame->nodes.back().folded, 91u);
}

TEST(FlameTest, PivotsAroundAFunction) {
  const StackSet set = testing::FromText("a;f;x 1\nb;f;g;f;y 2\nb;c 4\n");
  EXPECT_EQ(Cut(*MakePivotTree(set, "f", PivotSide::kCallees), {}),
            "all 0\n  f 0\n    g 0\n      f 0\n        y 2\n    x 1\n");
  EXPECT_EQ(Cut(*MakePivotTree(set, "f", PivotSide::kCallers), {}),
            "all 0\n  f 0\n    b 2\n    a 1\n");
  EXPECT_EQ(Cut(*MakePivotTree(set, "none", PivotSide::kCallers), {}), "all 0\n");
}

TEST(FlameTest, InvertsTheWholeTree) {
  const StackSet set = testing::FromText("a;f;x 1\nb;f;x 2\nb;x;f 4\n");
  EXPECT_EQ(Cut(*MakeInvertedTree(set), {}),
            "all 0\n  f 0\n    x 0\n      b 4\n  x 0\n    f 0\n      b 2\n      a 1\n");
  EXPECT_EQ(Cut(*MakeInvertedTree(testing::FromText("")), {}), "all 0\n");
}

// No matter which nodes are omitted, the overall sum and the sum below each shown node stay the
// same.
TEST(FlameTest, KeepsSumsExact) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::string stacks;
    int64_t total = 0;
    for (uint32_t i = 0; i <= random() % 60; ++i) {
      std::string stack;
      for (uint32_t depth = 0; depth <= random() % 7; ++depth)
        base::StrAppend(&stack, stack.empty() ? "" : ";", "f", random() % 5);
      const auto value = static_cast<int64_t>(random() % 9);
      total += value;
      base::StrAppend(&stacks, stack, " ", value, "\n");
    }
    const StackSet set = testing::FromText(stacks);
    const ValueTree tree = *MakeValueTree(set);
    const auto flame = CutFlame(tree, {.nodes_max = 1 + static_cast<uint32_t>(random() % 80),
                                       .share_min = random() % 2 == 0 ? 0 : 0.02,
                                       .depth_max = 1 + static_cast<uint32_t>(random() % 8)});
    ASSERT_TRUE(flame.ok());
    EXPECT_EQ(std::accumulate(flame->self[0].begin(), flame->self[0].end(), int64_t{0}), total);
    uint64_t nodes = 0;
    for (const Flame::Node& node : flame->nodes)
      nodes += node.folded != 0 ? node.folded : 1;
    EXPECT_EQ(nodes, tree.nodes.size());
    const auto again = DecodeFlame(EncodeFlame(*flame));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(*again, *flame);
  }
}

// Enough stacks to be sorted by several threads: each path is one node with the cost of its stacks.
TEST(FlameTest, MergesManyStacksIntoOneTree) {
  std::mt19937 random(4);
  std::map<std::string, int64_t> self = {{"", 0}};  // by path
  std::string stacks;
  for (int i = 0; i < 30'000; ++i) {
    std::string path;
    for (uint32_t depth = 0; depth <= random() % 12; ++depth) {
      base::StrAppend(&path, path.empty() ? "" : ";", "f", random() % (depth < 2 ? 2 : 20));
      self.try_emplace(path, 0);
    }
    const auto value = static_cast<int64_t>(random() % 100);
    self[path] += value;
    base::StrAppend(&stacks, path, " ", value, "\n");
  }
  const StackSet set = testing::FromText(stacks);
  const ValueTree tree = *MakeValueTree(set);
  ASSERT_EQ(tree.nodes.size(), self.size());
  std::vector<std::string> paths(tree.nodes.size());
  for (size_t i = 1; i < tree.nodes.size(); ++i) {
    const std::string& above = paths[tree.nodes[i].parent];
    paths[i] = base::StrCat(above, above.empty() ? "" : ";", tree.frames[tree.nodes[i].frame].name);
    ASSERT_EQ(tree.self[0][i], self.at(paths[i])) << paths[i];
  }
}

TEST(FlameContainerTest, RoundTripsEverything) {
  Flame flame = {.type = "cpu", .unit = "nanoseconds"};
  flame.frames = {{},
                  {.name = "main", .file = "a.cc", .module = "app", .type = "native", .line = 7},
                  {.name = "(other)", .flags = TreeFrame::kFolded}};
  flame.nodes = {{}, {.depth = 1, .frame = 1}, {.depth = 2, .frame = 2, .folded = 9}};
  flame.self = {{0, -5, 7}, {1, 2, 3}};
  flame.probabilities = {1, 0.5, 0.25};
  flame.path = {"x", "y"};
  const std::string bytes = EncodeFlame(flame);
  const auto again = DecodeFlame(bytes);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, flame);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(DecodeFlame(bytes.substr(0, size)).ok()) << size;
  std::string newer = bytes;
  newer[4] = 2;
  EXPECT_EQ(DecodeFlame(newer).status().message(),
            "flame graph of version 2, this program supports version 1");
}

TEST(FlameContainerTest, WritesSharedPrefixesOnce) {
  Flame flame = {.type = "cpu", .unit = "nanoseconds"};
  flame.frames = {{}, {.name = "shop::cart"}, {.name = "shop::ca"}, {.name = "shop::till"}};
  // Not in name order, and with repeats.
  for (const uint32_t frame : {0u, 3u, 1u, 3u, 2u, 1u})
    flame.nodes.push_back({.depth = flame.nodes.empty() ? 0u : 1u, .frame = frame});
  flame.self = {{0, 1, 2, 3, 4, 5}};
  const std::string bytes = EncodeFlame(flame);
  EXPECT_NE(bytes.find("shop::"), std::string::npos);
  EXPECT_EQ(bytes.find("shop::"), bytes.rfind("shop::"));
  const auto again = DecodeFlame(bytes);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, flame);
}

TEST(FlameContainerTest, RejectsInputThatExpandsTooFar) {
  const std::string text(1 << 20, 'x');
  std::string bytes("FLAM\1\0\1\0", 8);
  base::AppendVarint(1000, &bytes);
  base::AppendVarint(0, &bytes);
  base::AppendBytes(text, &bytes);
  for (int i = 1; i < 1000; ++i) {
    base::AppendVarint(text.size(), &bytes);
    base::AppendBytes("", &bytes);
  }
  EXPECT_FALSE(DecodeFlame(bytes).ok());
}

TEST(PathHashTest, RoundTripsThroughText) {
  EXPECT_EQ(PathHashText(kRootPathHash), "y_Kc5IQiIyU");
  for (const uint64_t hash : {uint64_t{0}, UINT64_MAX, PathOf({"main"}), PathOf({"main", ""})})
    EXPECT_EQ(*ParsePathHash(PathHashText(hash)), hash);
  for (const std::string_view bad :
       {"", "y_Kc5IQiIy", "y_Kc5IQiIyV", "y_Kc5IQiIyU=", "y/Kc5IQiIyU"})
    EXPECT_FALSE(ParsePathHash(bad).ok()) << bad;
  EXPECT_NE(PathOf({"a", "b"}), PathOf({"ab"}));
}

}  // namespace
}  // namespace flarestack::query
