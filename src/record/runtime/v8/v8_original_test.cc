// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/v8/v8_original.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text/text.h"

namespace flarestack::record::runtime {
namespace {

// The text from the name that was found, up to the start of the function.
std::string Found(std::string_view text, std::string_view name) {
  const std::u16string units(text.begin(), text.end());
  const auto distance = FindNameBefore(units, name);
  return distance.has_value() ? std::string(text.substr(text.size() - *distance)) : "none";
}

TEST(V8OriginalTest, FindsTheIdentifierThatNamesAFunction) {
  EXPECT_EQ(Found("function add", "add"), "add");
  EXPECT_EQ(Found("var x=1,a=", "a"), "a=");
  EXPECT_EQ(Found("const a = async ", "a"), "a = async ");
  EXPECT_EQ(Found("const a=function* ", "a"), "a=function* ");
  EXPECT_EQ(Found("{total:function", "total"), "total:function");
  EXPECT_EQ(Found("t.total=function", "t.total"), "total=function");
  EXPECT_EQ(Found("{get total", "get total"), "total");
  EXPECT_EQ(Found("x=function a", "a"), "a");
  EXPECT_EQ(Found("#items", "#items"), "#items");
}

TEST(V8OriginalTest, FindsTheClassOfAConstructor) {
  EXPECT_EQ(Found("class e{constructor", "e"), "e{constructor");
  EXPECT_EQ(Found("class e extends t{#a=1;constructor", "e"), "e extends t{#a=1;constructor");
  EXPECT_EQ(Found("class ee{}class e{constructor", "ee"), "ee{}class e{constructor");
  EXPECT_EQ(Found("var c=class{constructor", "c"), "c=class{constructor");
  EXPECT_EQ(Found("var c=class extends o{#a=1;constructor", "c"),
            "c=class extends o{#a=1;constructor");
  EXPECT_EQ(Found("class e{\n  constructor", "e"), "none");
}

TEST(V8OriginalTest, OtherIdentifiersAreNotTheName) {
  EXPECT_EQ(Found("items.map(function", "map"), "none");
  EXPECT_EQ(Found("items.map(", "a"), "none");
  EXPECT_EQ(Found("ab", "b"), "none");
  EXPECT_EQ(Found("a=\n", "a"), "none");
  EXPECT_EQ(Found("a=", ""), "none");
  EXPECT_EQ(Found("", "a"), "none");
}

//   line 1 of the bundle:  function t(e){return e}
//   in cart.ts:            2:10 total, 2:16 items; column 15 of the bundle has no origin
SourceMap CartMap() {
  const auto map = SourceMap::Parse(
      R"({"version":3,"sources":["cart.ts"],"names":["total","items"],
          "mappings":"AACA,SAASA,EAAMC,G,IAAW"})",
      "");
  EXPECT_TRUE(map.ok()) << map.status();
  return *map;
}

std::string Apply(const SourcePosition& current, std::string_view name = "t") {
  NamedFunction function = {.name = std::string(name),
                            .file = "bundle.js",
                            .start_line = 1,
                            .line = current.line,
                            .column = current.column};
  const GeneratedFunction generated = {
      .start = {.line = 1, .column = 11}, .current = current, .text_before = u"function t"};
  ApplySourceMap(CartMap(), generated, &function);
  return base::StrCat(function.name, " ", function.file, ":", function.line, ":", function.column,
                      " from ", function.start_line);
}

TEST(V8OriginalTest, ReplacesNameFileLineAndColumn) {
  EXPECT_EQ(Apply({.line = 1, .column = 12}), "total cart.ts:2:16 from 2");
  EXPECT_EQ(Apply({.line = 1, .column = 20}), "total cart.ts:2:27 from 2");
}

TEST(V8OriginalTest, WithoutCurrentPositionTheStartIsMapped) {
  EXPECT_EQ(Apply({}), "total cart.ts:0:0 from 2");
}

TEST(V8OriginalTest, APositionWithoutMappingLeavesTheFunctionAsItIs) {
  EXPECT_EQ(Apply({.line = 1, .column = 15}), "t bundle.js:1:15 from 1");
  EXPECT_EQ(Apply({.line = 2, .column = 1}), "t bundle.js:2:1 from 1");
}

TEST(V8OriginalTest, WithoutOriginalNameTheNameStays) {
  EXPECT_EQ(Apply({.line = 1, .column = 12}, "u"), "u cart.ts:2:16 from 2");
}

}  // namespace
}  // namespace flarestack::record::runtime
