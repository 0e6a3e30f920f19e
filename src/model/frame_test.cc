// SPDX-License-Identifier: Apache-2.0
#include "model/frame.h"

#include <gtest/gtest.h>

#include "base/memory/arena.h"
#include "base/text/text.h"
#include "model/builder/dictionary_builder.h"

namespace flarestack::model {
namespace {

class FramesTest : public ::testing::Test {
 protected:
  FunctionIndex Function(std::string_view name, std::string_view file = {}) {
    return builder_.Function({.name = builder_.String(name), .filename = builder_.String(file)});
  }
  std::string NameOf(const Location& location, std::span<const Line> lines = {}) {
    const StackIndex stack = builder_.Stack({{builder_.Location(location, lines, {})}});
    return FrameName(tables_, FramesOf(tables_, stack).front());
  }

  base::Arena arena_;
  Dictionary tables_;
  DictionaryBuilder builder_{&tables_, &arena_};
};

TEST_F(FramesTest, InlinedFunctionsAreFramesBeforeTheirCaller) {
  const LocationIndex leaf =
      builder_.Location({.address = 1},
                        {{{.function = Function("inner", "i.h"), .line = 3, .column = 4},
                          {.function = Function("middle"), .line = 2},
                          {.function = Function("outer"), .line = 1}}},
                        {});
  const LocationIndex root = builder_.Location({.address = 2}, {}, {});
  const StackIndex stack = builder_.Stack({{leaf, root}});
  std::string text;
  for (const Frame& frame : FramesOf(tables_, stack)) {
    base::StrAppend(&text, FrameName(tables_, frame), " ", frame.filename, ":", frame.line, ":",
                    frame.column, frame.is_inlined ? " inlined" : "", "\n");
  }
  EXPECT_EQ(text, "inner i.h:3:4 inlined\nmiddle :2:0 inlined\nouter :1:0\n0x2 :0:0\n");
}

TEST_F(FramesTest, EmptyStackHasNoFrames) { EXPECT_TRUE(FramesOf(tables_, {}).empty()); }

TEST_F(FramesTest, UsesTheBestAvailableName) {
  const MappingIndex mapping =
      builder_.Mapping({.filename = builder_.String("/usr/lib/libshop.so.2")}, {});
  const FunctionIndex mangled = builder_.Function({.system_name = builder_.String("_Z4mainv")});
  EXPECT_EQ(NameOf({.mapping = mapping, .address = 16}, {{{.function = Function("main")}}}),
            "main");
  EXPECT_EQ(NameOf({.mapping = mapping, .address = 16}, {{{.function = mangled}}}), "_Z4mainv");
  EXPECT_EQ(NameOf({.mapping = mapping, .address = 16}), "libshop.so.2!0x10");
  EXPECT_EQ(NameOf({.mapping = mapping, .address = 16}, {{Line{}}}), "libshop.so.2!0x10");
  EXPECT_EQ(NameOf({.address = 16}), "0x10");
  EXPECT_EQ(NameOf({}), "[unknown]");
}

// A sender may have the empty text twice in its table.
TEST_F(FramesTest, IgnoresAnEmptyName) {
  tables_.strings.emplace_back();
  const StringIndex empty = {static_cast<uint32_t>(tables_.strings.size() - 1)};
  const FunctionIndex nameless = builder_.Function({.name = empty, .system_name = empty});
  EXPECT_EQ(NameOf({.address = 16}, {{{.function = nameless}}}), "0x10");
}

TEST_F(FramesTest, ModuleIsTheLastPartOfThePath) {
  const auto module = [&](std::string_view path) {
    const MappingIndex mapping = builder_.Mapping({.filename = builder_.String(path)}, {});
    const LocationIndex location = builder_.Location({.mapping = mapping, .address = 1}, {}, {});
    return ModuleName(tables_, {.location = location});
  };
  EXPECT_EQ(module("/usr/bin/shop"), "shop");
  EXPECT_EQ(module("shop"), "shop");
  EXPECT_EQ(module("[kernel.kallsyms]"), "[kernel.kallsyms]");
  EXPECT_EQ(module("/"), "");
  EXPECT_EQ(module(""), "");
}

}  // namespace
}  // namespace flarestack::model
