// SPDX-License-Identifier: Apache-2.0
#include "query/flame/tree_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_join.h"
#include "base/text/text.h"
#include "query/flame/flame.h"
#include "query/stacks/path_hash.h"
#include "query/testing/stack_text.h"

namespace flarestack::query {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kShop =
    "main;serve;parse;Read 3\n"
    "main;serve;parse;read_more;Read 4\n"
    "main;serve;render 5\n"
    "main;gc 2\n";

// "matched of all in paths: name total, ..."
std::string Search(std::string_view stacks, std::string_view text,
                   const TreeSearchOptions& options = {}) {
  const StackSet set = testing::FromText(stacks);
  const auto tree = MakeValueTree(set);
  const auto query = ParseTreeQuery(text);
  if (!query.ok())
    return std::string(query.status().message());
  const auto found = SearchTree(*tree, *query, options);
  if (!found.ok())
    return std::string(found.status().message());
  std::vector<std::string> largest;
  for (const TreeMatch& match : found->largest)
    largest.push_back(base::StrCat(match.name, " ", match.total));
  return base::StrCat(found->matched, " of ", found->all, " in ", found->path_count, ": ",
                      absl::StrJoin(largest, ", "));
}

TEST(TreeSearchTest, CountsEachStackWithAMatchOnce) {
  EXPECT_EQ(Search(kShop, "read"), "7 of 14 in 3: read_more 4, Read 4, Read 3");
  EXPECT_EQ(Search(kShop, "/^read$/"), "7 of 14 in 2: Read 4, Read 3");
  EXPECT_EQ(Search(kShop, "nothing"), "0 of 14 in 0: ");
  EXPECT_EQ(Search("a.b+c 1\naxb+c 2\n", "a.b+c"), "1 of 3 in 1: a.b+c 1");
}

TEST(TreeSearchTest, FindsFoldedNodes) {
  std::string stacks = "main;large 1000\n";
  for (int i = 0; i < 100; ++i)
    base::StrAppend(&stacks, "main;tiny_", i, " 1\n");
  const StackSet set = testing::FromText(stacks);
  const auto flame = CutFlame(*MakeValueTree(set), {.nodes_max = 3});
  ASSERT_EQ(flame->nodes.size(), 4u);  // the fourth is "(other)"
  EXPECT_THAT(Search(stacks, "tiny", {.matches_max = 1}), HasSubstr("100 of 1100 in 100: tiny_"));
}

TEST(TreeSearchTest, SearchesBelowAPath) {
  const uint64_t serve = PathHash(PathHash(kRootPathHash, "main"), "serve");
  EXPECT_EQ(Search(kShop, "e", {.root = serve}),
            "12 of 12 in 6: serve 12, parse 7, render 5, read_more 4, Read 4, Read 3");
  EXPECT_EQ(Search(kShop, "gc", {.root = serve}), "0 of 12 in 0: ");
  EXPECT_THAT(Search(kShop, "gc", {.root = 1}), HasSubstr("no call path"));
}

TEST(TreeSearchTest, NamesThePathOfAMatch) {
  const StackSet set = testing::FromText(kShop);
  const auto tree = MakeValueTree(set);
  const auto found = SearchTree(*tree, *ParseTreeQuery("render"), {});
  ASSERT_EQ(found->largest.size(), 1u);
  const auto node = FindPath(*tree, found->largest[0].path);
  ASSERT_TRUE(node.has_value());
  EXPECT_EQ(tree->frames[tree->nodes[*node].frame].name, "render");
  EXPECT_EQ(found->largest[0].depth, 3u);
}

TEST(TreeSearchTest, ReportsABadSearch) {
  EXPECT_THAT(Search(kShop, ""), HasSubstr("the search is empty"));
  EXPECT_THAT(Search(kShop, "file:"), HasSubstr("the search is empty"));
  EXPECT_THAT(Search(kShop, "/(/"), HasSubstr("missing"));
  EXPECT_EQ(Search(kShop, "file:x"), "0 of 14 in 0: ");
}

}  // namespace
}  // namespace flarestack::query
