// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "cli/flame/flame_keys.h"
#include "cli/flame/flame_view.h"

namespace flarestack::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// main 10 = parse 6 (read 3, match 2, self 1) + render 4
model::CallTree MakeTree() {
  model::CallTreeBuilder builder;
  const auto add = [&](const std::vector<std::string>& names, int64_t weight) {
    std::vector<model::CallFrameId> stack;
    stack.reserve(names.size());
    for (const std::string& name : names)
      stack.push_back(builder.Frame({.name = name}));
    EXPECT_TRUE(builder.Add(stack, weight).ok());
  };
  add({"main", "parse"}, 1);
  add({"main", "parse", "read"}, 3);
  add({"main", "parse", "match"}, 2);
  add({"main", "render"}, 4);
  return std::move(builder).Finish();
}

class FlameTest : public ::testing::Test {
 protected:
  std::string NameAt(uint32_t node) const { return tree_.FrameOf(tree_.nodes[node]).name; }

  // Types the text; < > ^ v are arrows, $ is Enter, % is Backspace.
  bool Type(std::string_view text) {
    bool goes_on = true;
    for (const char c : text) {
      KeyPress press = {.key = Key::kCharacter, .character = c};
      constexpr std::string_view kSigns = "<>^v$%";
      constexpr Key kKeys[] = {Key::kLeft, Key::kRight, Key::kUp,
                               Key::kDown, Key::kEnter, Key::kBack};
      if (const size_t at = kSigns.find(c); at != std::string_view::npos)
        press = {.key = kKeys[at]};
      goes_on = keys_.Press(press);
    }
    return goes_on;
  }

  model::CallTree tree_ = MakeTree();
  CostStyle style_{tree_, "count"};
  FlameView view_{tree_, style_};
  FlameKeys keys_{view_};
};

TEST_F(FlameTest, BoxWidthIsProportionalToItsCost) {
  EXPECT_THAT(view_.Lines({}, {.width = 20}), ElementsAre("|all----------------",  //
                                                          "|main---------------",  //
                                                          "|parse------|render-",  //
                                                          "|read-|ma…"));
}

TEST_F(FlameTest, ZoomedNodeFillsTheWidthBelowItsCallers) {
  Type("vv$");
  EXPECT_THAT(view_.Lines(keys_.state(), {.width = 20}), ElementsAre("|main---------------",  //
                                                                     "|parse--------------",  //
                                                                     "|read-----|match-"));
}

TEST_F(FlameTest, RowsCanBeLimited) {
  EXPECT_THAT(view_.Lines({}, {.width = 20, .rows_max = 1}), ElementsAre("|all----------------"));
  EXPECT_EQ(view_.RowCount(0, 20), 4U);
}

TEST_F(FlameTest, MatchesStandOut) {
  FlameState state;
  state.search = *query::Pattern::Make("^r");
  EXPECT_THAT(view_.Lines(state, {.width = 20})[2], "|parse------#render-");
  EXPECT_THAT(view_.Lines(state, {.width = 20, .use_colour = true})[2],
              HasSubstr("\x1b[48;5;141;38;5;16m|render"));
}

// No two types have a colour in common, and none has the colour of a match.
TEST(CostStyleTest, FrameTypesHaveTheirOwnColours) {
  std::map<int, std::string> owners = {{141, "match"}};
  for (const std::string type : {"kernel", "native", "go", "jvm", "cpython", "v8js", "ruby", "php",
                                 "perl", "dotnet", "beam", "luajit", "cuda"}) {
    model::CallTreeBuilder builder;
    std::vector<model::CallFrameId> stack;
    for (int i = 0; i < 100; ++i)
      stack.push_back(builder.Frame({.name = "f" + std::to_string(i), .type = type}));
    ASSERT_TRUE(builder.Add(stack, 1).ok());
    const model::CallTree tree = std::move(builder).Finish();
    const CostStyle style(tree, "count");
    std::set<int> colours;
    for (uint32_t node = 1; node < tree.nodes.size(); ++node)
      colours.insert(style.ColourOf(node));
    EXPECT_GT(colours.size(), 1U) << type;
    for (const int colour : colours)
      EXPECT_EQ(owners.try_emplace(colour, type).first->second, type) << colour;
  }
}

TEST_F(FlameTest, ArrowsWalkTheTree) {
  Type("v");
  EXPECT_EQ(NameAt(keys_.state().cursor), "main");
  Type("v>");
  EXPECT_EQ(NameAt(keys_.state().cursor), "render");
  Type(">v");  // no further sibling, no child
  EXPECT_EQ(NameAt(keys_.state().cursor), "render");
  Type("<v>");
  EXPECT_EQ(NameAt(keys_.state().cursor), "match");
  Type("^^^^");
  EXPECT_EQ(keys_.state().cursor, 0U);
}

TEST_F(FlameTest, EnterZoomsInAndBackspaceOut) {
  Type("vv$");
  EXPECT_EQ(NameAt(keys_.state().zoom), "parse");
  EXPECT_EQ(style_.Describe(keys_.state().cursor, keys_.state().zoom),
            "parse: 6, 60.00 % of all, 100.00 % of zoomed, self 1");
  Type("%");
  EXPECT_EQ(NameAt(keys_.state().zoom), "main");
  Type("%%");
  EXPECT_EQ(keys_.state().zoom, 0U);
}

TEST_F(FlameTest, SearchGoesFromMatchToMatch) {
  Type("/rex%$");
  EXPECT_FALSE(keys_.is_typing());
  const std::string first = NameAt(keys_.state().cursor);
  Type("n");
  EXPECT_NE(NameAt(keys_.state().cursor), first);
  Type("n");
  EXPECT_EQ(NameAt(keys_.state().cursor), first);
  Type("/zzz$");
  EXPECT_EQ(keys_.note(), "no function matches");
  Type("/($");
  EXPECT_THAT(keys_.note(), HasSubstr("is not a regular expression"));
}

TEST_F(FlameTest, QQuitsExceptWhileTyping) {
  EXPECT_TRUE(Type("/q$"));
  EXPECT_FALSE(Type("q"));
}

TEST(TakeKeysTest, EscapeSequenceIsOneKeyAndMayArriveInPieces) {
  std::string bytes = "a\x1b[A\r\x1b[";
  const std::vector<KeyPress> keys = TakeKeys(&bytes, /*is_all=*/false);
  ASSERT_EQ(keys.size(), 3U);
  EXPECT_EQ(keys[0].character, 'a');
  EXPECT_EQ(keys[1].key, Key::kUp);
  EXPECT_EQ(keys[2].key, Key::kEnter);
  EXPECT_EQ(bytes, "\x1b[");
  bytes += "B";
  EXPECT_EQ(TakeKeys(&bytes, false)[0].key, Key::kDown);
  EXPECT_EQ(bytes, "");
  bytes = "\x1b";
  EXPECT_TRUE(TakeKeys(&bytes, false).empty());
  EXPECT_EQ(TakeKeys(&bytes, true)[0].key, Key::kEscape);
}

}  // namespace
}  // namespace flarestack::cli
