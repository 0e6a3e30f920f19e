// SPDX-License-Identifier: Apache-2.0
#include "query/stacks/filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>

#include "query/testing/stack_text.h"

namespace flarestack::query {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Filtered(std::string_view text, std::initializer_list<std::string_view> steps) {
  Filter filter;
  for (const std::string_view step : steps) {
    const absl::Status status = filter.Add(step);
    if (!status.ok())
      return std::string(status.message());
  }
  StackSet set = testing::FromText(text);
  const absl::Status status = filter.Apply(&set);
  return status.ok() ? testing::ToText(set) : std::string(status.message());
}

constexpr std::string_view kShop =
    "main;serve;parse;read 3\n"
    "main;serve;render 5\n"
    "main;gc 2\n";

TEST(FilterTest, OnlyKeepsStacksWithAMatch) {
  EXPECT_EQ(Filtered(kShop, {"only:^parse$"}), "main;serve;parse;read 3\n");
}

TEST(FilterTest, DropRemovesStacksWithAMatch) {
  EXPECT_EQ(Filtered(kShop, {"drop:serve"}), "main;gc 2\n");
}

TEST(FilterTest, HideMovesTheCostToTheCaller) {
  EXPECT_EQ(Filtered(kShop, {"hide:parse|read|render"}),
            "main;serve 8\n"
            "main;gc 2\n");
}

TEST(FilterTest, HidingAWholeStackRemovesIt) {
  EXPECT_EQ(Filtered("a;b 1\nc 2\n", {"hide:a|b"}), "c 2\n");
}

TEST(FilterTest, FromCutsAboveTheOutermostMatch) {
  EXPECT_EQ(Filtered("a;f;b;f;c 1\na;b 2\n", {"from:f"}), "f;b;f;c 1\n");
}

TEST(FilterTest, UntilCutsBelowTheInnermostMatch) {
  EXPECT_EQ(Filtered("a;f;b;f;c 1\na;b 2\n", {"until:f"}),
            "a;f;b;f 1\n"
            "a;b 2\n");
}

TEST(FilterTest, ModuleMergesEachRunIntoOneFrame) {
  EXPECT_EQ(Filtered("a;b(@libc.so);c(@libc.so);d;e(@libc.so) 1\n"
                     "a;b(@libc.so);d;e(@libc.so) 2\n",
                     {"module:libc.so"}),
            "a;[libc.so];d;[libc.so] 3\n");
}

TEST(FilterTest, RecursionFoldsDirectAndMutualCalls) {
  EXPECT_EQ(Filtered("a;a;a;b 1\na;b;a;c 2\na;b;c;b;d 4\n", {"recursion"}),
            "a;b 1\n"
            "a;c 2\n"
            "a;b;d 4\n");
}

TEST(FilterTest, PatternsMatchFileAndModuleToo) {
  EXPECT_EQ(Filtered("a(x/parse.cc:3) 1\nb(@libparse.so) 2\nc 4\n", {"only:parse"}),
            "a 1\n"
            "b 2\n");
}

TEST(FilterTest, SelectsByTag) {
  EXPECT_EQ(Filtered("a 1 {thread=main}\nb 2 {thread=io,host=x}\nc 4\n", {"tag:thread=^io$"}),
            "b 2\n");
  EXPECT_EQ(Filtered("a 1 {thread=main}\nc 4\n", {"tag:host=.*"}), "");
}

TEST(FilterTest, SelectsByTagMismatch) {
  constexpr std::string_view kText = "a 1 {thread=main}\nb 2 {thread=io,host=x}\nc 4\n";
  EXPECT_EQ(Filtered(kText, {"tag:thread!=^io$"}), "a 1\nc 4\n");
  EXPECT_EQ(Filtered(kText, {"tagignore:thread=^io$"}), "a 1\nc 4\n");
  EXPECT_THAT(Filtered(kText, {"tag:!=io"}), HasSubstr("tag takes KEY=REGEX"));
}

// Syntax and rules are those of pprof's tagfocus.
TEST(FilterTest, SelectsNumbersInARange) {
  constexpr std::string_view kText =
      "a 1 {bytes=4095}\nb 2 {bytes=4096}\nc 4 {bytes=65536}\nd 8 {bytes=65537}\ne 16\n";
  EXPECT_EQ(Filtered(kText, {"tag:bytes=4kb:64kb"}), "b 2\nc 4\n");
  EXPECT_EQ(Filtered(kText, {"tag:bytes=4096:65536"}), "b 2\nc 4\n");
  EXPECT_EQ(Filtered(kText, {"tag:bytes=:4KiB"}), "a 1\nb 2\n");
  EXPECT_EQ(Filtered(kText, {"tag:bytes=64kb:"}), "c 4\nd 8\n");
  EXPECT_EQ(Filtered(kText, {"tag:bytes=4kb"}), "b 2\n");
  EXPECT_EQ(Filtered(kText, {"tag:bytes!=4kb:"}), "a 1\ne 16\n");
  EXPECT_EQ(Filtered(kText, {"tag:bytes=1s:2s"}), "");
  EXPECT_EQ(Filtered(kText, {"tag:bytes=^40"}), "a 1\nb 2\n");
}

TEST(FilterTest, RangeUsesTheUnitOfTheAttribute) {
  StackSet set = testing::FromText("a 1 {wait=3}\nb 2 {wait=30}\n");
  const TextId key = set.table.AddText("wait");
  set.tag_units.push_back({.key = key, .unit = set.table.AddText("milliseconds")});
  Filter filter;
  ASSERT_TRUE(filter.Add("tag:wait=10ms:0.1s").ok());
  ASSERT_TRUE(filter.Apply(&set).ok());
  EXPECT_EQ(testing::ToText(set), "b 2\n");
}

TEST(FilterTest, FindsTextThatLooksLikeARange) {
  EXPECT_EQ(Filtered("a 1 {ratio=x1:2}\nb 2 {ratio=3}\n", {"tag:ratio=1:2"}), "a 1\n");
}

TEST(FilterTest, TagsBecomeFrames) {
  EXPECT_EQ(Filtered("a 1 {thread=main}\nb 2\n", {"tagroot:thread"}),
            "main;a 1\n"
            "[no thread];b 2\n");
  EXPECT_EQ(Filtered("a 1 {thread=x,thread=y}\n", {"tagleaf:thread"}), "a;x, y 1\n");
}

TEST(FilterTest, AppliesStepsInOrder) {
  EXPECT_EQ(Filtered(kShop, {"hide:serve", "only:serve"}), "");
  EXPECT_EQ(Filtered(kShop, {"only:serve", "hide:serve"}),
            "main;parse;read 3\n"
            "main;render 5\n");
}

TEST(FilterTest, PresetsAreStepsLikeAnyOther) {
  EXPECT_EQ(Filtered("main;malloc 3\nmain;work 4\nmain;operator new[] 5\n", {"preset:allocator"}),
            "main;malloc 3\n"
            "main;operator new[] 5\n");
  for (const FilterPreset& preset : FilterPresets()) {
    Filter filter;
    EXPECT_TRUE(filter.Add("preset:" + std::string(preset.id)).ok()) << preset.id;
    EXPECT_FALSE(filter.empty());
  }
}

// A script that calls a C function of an extension. NAME% is an internal frame.
constexpr std::string_view kScript =
    "main;run%;Shop.checkout%cpython;eval%;vectorcall%;Cart.add%cpython;eval%;sqlite3_step 3\n"
    "main;run%;Shop.checkout%cpython;eval% 5\n"
    "main;gc 2\n";

TEST(FilterTest, InternalFramesAreHiddenByDefault) {
  EXPECT_EQ(Filtered(kScript, {}),
            "main;Shop.checkout;Cart.add;sqlite3_step 3\n"
            "main;Shop.checkout 5\n"
            "main;gc 2\n");
}

TEST(FilterTest, InternalsShowsInternalFrames) {
  const std::string all =
      "main;run;Shop.checkout;eval;vectorcall;Cart.add;eval;sqlite3_step 3\n"
      "main;run;Shop.checkout;eval 5\n"
      "main;gc 2\n";
  EXPECT_EQ(Filtered(kScript, {"internals"}), all);
  EXPECT_EQ(Filtered(kScript, {"only:main", "internals"}), all);
  EXPECT_THAT(Filtered(kScript, {"internals:x"}), HasSubstr("internals takes no argument"));
}

TEST(FilterTest, StepsDoNotSeeHiddenInternalFrames) {
  EXPECT_EQ(Filtered(kScript, {"only:eval"}), "");
  EXPECT_EQ(Filtered(kScript, {"internals", "only:vectorcall", "until:vectorcall"}),
            "main;run;Shop.checkout;eval;vectorcall 3\n");
}

TEST(FilterTest, StackOfInternalFramesKeepsItsLeaf) {
  EXPECT_EQ(Filtered("run%;eval% 3\nrun%;gc% 2\nrun%;eval%;gc% 4\n", {}), "eval 3\ngc 6\n");
}

TEST(FilterTest, HideInternalsWinsOverInternals) {
  EXPECT_EQ(Filtered("a;eval%;b 1\n", {"internals", "hideinternals"}), "a;b 1\n");
  EXPECT_EQ(
      Filtered("a;eval%;_PyEval_EvalFrameDefault;b 1\n", {"internals", "preset:no-interpreter"}),
      "a;b 1\n");
}

TEST(FilterTest, InternalsAloneIsAnEmptyFilter) {
  Filter filter;
  ASSERT_TRUE(filter.Add("internals").ok());
  EXPECT_TRUE(filter.empty());
  ASSERT_TRUE(filter.Add("hideinternals").ok());
  EXPECT_FALSE(filter.empty());
}

constexpr std::string_view kTypes =
    "main;Shop.checkout%cpython;sqlite3_step%native;sys_read%kernel 3\n"
    "Shop.checkout%cpython;Cart.add%cpython 5\n"
    "start_thread%native;gc 2\n";

TEST(FilterTest, TypeKeepsFramesOfTheType) {
  EXPECT_EQ(Filtered(kTypes, {"type:cpython"}),
            "Shop.checkout 3\n"
            "Shop.checkout;Cart.add 5\n");
  EXPECT_EQ(Filtered(kTypes, {"type:^(kernel|native)$"}),
            "sqlite3_step;sys_read 3\n"
            "start_thread 2\n");
  EXPECT_EQ(Filtered(kTypes, {"type:jvm"}), "");
}

TEST(FilterTest, HideTypeMovesTheCostToTheCaller) {
  EXPECT_EQ(Filtered(kTypes, {"hidetype:kernel|native"}),
            "main;Shop.checkout 3\n"
            "Shop.checkout;Cart.add 5\n"
            "gc 2\n");
}

TEST(FilterTest, FramesWithoutATypeMatchTheEmptyText) {
  EXPECT_EQ(Filtered(kTypes, {"type:^$"}), "main 3\ngc 2\n");
  EXPECT_EQ(Filtered(kTypes, {"hidetype:^$"}),
            "Shop.checkout;sqlite3_step;sys_read 3\n"
            "Shop.checkout;Cart.add 5\n"
            "start_thread 2\n");
}

TEST(FilterTest, TypesAreThoseOfTheFramesThatAreShown) {
  EXPECT_EQ(Filtered(kScript, {"type:native"}), "");
  EXPECT_EQ(Filtered(kScript, {"internals", "type:native"}),
            "run;eval;vectorcall;eval 3\n"
            "run;eval 5\n");
}

TEST(FilterTest, ReportsBadFilters) {
  EXPECT_THAT(Filtered(kShop, {"only:("}), HasSubstr("\"(\" is not a regular expression"));
  EXPECT_THAT(Filtered(kShop, {"only"}), HasSubstr("only takes a regular expression"));
  EXPECT_THAT(Filtered(kShop, {"type"}), HasSubstr("type takes a regular expression"));
  EXPECT_THAT(Filtered(kShop, {"hidetype:("}), HasSubstr("\"(\" is not a regular expression"));
  EXPECT_THAT(Filtered(kShop, {"tag:thread"}), HasSubstr("tag takes KEY=REGEX"));
  EXPECT_THAT(Filtered(kShop, {"zoom:x"}), HasSubstr("unknown filter \"zoom\"; known: only, drop"));
  EXPECT_THAT(Filtered(kShop, {"preset:x"}), HasSubstr("unknown preset \"x\"; known:"));
  EXPECT_THAT(Filtered(kShop, {"recursion:x"}), HasSubstr("recursion takes no argument"));
}

TEST(FilterTest, ListsTheTagsItNeeds) {
  Filter filter;
  ASSERT_TRUE(filter.Add("tag:thread.name=io").ok());
  ASSERT_TRUE(filter.Add("tagroot:host.name").ok());
  ASSERT_TRUE(filter.Add("tagleaf:thread.name").ok());
  EXPECT_THAT(filter.TagKeys(), ElementsAre("thread.name", "host.name"));
}

}  // namespace
}  // namespace flarestack::query
