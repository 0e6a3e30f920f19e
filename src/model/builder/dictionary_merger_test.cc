// SPDX-License-Identifier: Apache-2.0
#include "model/builder/dictionary_merger.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/memory/arena.h"

namespace flarestack::model {
namespace {

std::vector<size_t> SizesOf(const Dictionary& tables) {
  return {tables.strings.size(),   tables.functions.size(), tables.mappings.size(),
          tables.locations.size(), tables.links.size(),     tables.attributes.size(),
          tables.stacks.size()};
}

TEST(DictionaryMergerTest, Index0StaysIndex0WithAnyContent) {
  Dictionary from;
  from.strings = {"not empty"};
  from.functions = {{.start_line = 7}};
  from.mappings = {{.memory_start = 7}};
  from.locations = {{.address = 7}};
  from.links = {{.trace_id = "t", .span_id = "s"}};
  from.attributes = {{.value = AnyValue::Int(7)}};
  from.stacks = {{.locations = {.begin = 0, .count = 1}}};
  from.location_indices = {{0}};
  base::Arena arena;
  Dictionary to;
  DictionaryBuilder builder(&to, &arena);
  DictionaryMerger merger(from, &builder);
  merger.NeedEverything();
  merger.Run();
  EXPECT_FALSE(merger.Map(StringIndex{}));
  EXPECT_FALSE(merger.Map(LinkIndex{}));
  EXPECT_FALSE(merger.Map(AttributeIndex{}));
  EXPECT_FALSE(merger.Map(StackIndex{}));
  EXPECT_EQ(SizesOf(to), std::vector<size_t>(7, 1));
}

TEST(DictionaryMergerTest, EmptyEntryElsewhereBecomesIndex0) {
  Dictionary from;
  from.strings = {"", ""};
  from.functions = {{}, {.name = {1}}};
  from.mappings = {{}, {}};
  from.locations = {{}, {}};
  from.links = {{}, {}};
  from.attributes = {{}, {}};
  from.stacks = {{}, {}};
  base::Arena arena;
  Dictionary to;
  DictionaryBuilder builder(&to, &arena);
  DictionaryMerger merger(from, &builder);
  merger.NeedEverything();
  merger.Run();
  EXPECT_FALSE(merger.Map(StringIndex{1}));
  EXPECT_FALSE(merger.Map(LinkIndex{1}));
  EXPECT_FALSE(merger.Map(AttributeIndex{1}));
  EXPECT_FALSE(merger.Map(StackIndex{1}));
  EXPECT_EQ(SizesOf(to), std::vector<size_t>(7, 1));
}

TEST(DictionaryMergerTest, TranslatesAWholeStack) {
  base::Arena arena;
  Dictionary from;
  DictionaryBuilder source(&from, &arena);
  source.String("shifts the indices");
  const AttributeIndex attribute = source.Attribute("k", AnyValue::String("v"), "u");
  const FunctionIndex function =
      source.Function({.name = source.String("f"), .filename = source.String("f.cc")});
  const MappingIndex mapping =
      source.Mapping({.memory_start = 1, .filename = source.String("/bin/f")}, {{attribute}});
  const LocationIndex location = source.Location(
      {.mapping = mapping, .address = 9}, {{{.function = function, .line = 3}}}, {{attribute}});
  const StackIndex stack = source.Stack({{location, location}});

  Dictionary to;
  DictionaryBuilder target(&to, &arena);
  DictionaryMerger merger(from, &target);
  merger.Need(stack);
  merger.Run();
  const StackIndex mapped = merger.Map(stack);
  const auto locations = In(to.location_indices, to.stacks[mapped.value].locations);
  ASSERT_EQ(locations.size(), 2U);
  const Location& copy = to.locations[locations[0].value];
  EXPECT_EQ(copy.address, 9U);
  EXPECT_EQ(to.Text(to.mappings[copy.mapping.value].filename), "/bin/f");
  const Line& line = to.lines[copy.lines.begin];
  EXPECT_EQ(line.line, 3);
  EXPECT_EQ(to.Text(to.functions[line.function.value].filename), "f.cc");
  const Attribute& attribute_copy =
      to.attributes[to.attribute_indices[copy.attributes.begin].value];
  EXPECT_EQ(to.Text(attribute_copy.key), "k");
  EXPECT_EQ(to.Text(attribute_copy.unit), "u");
  for (const std::string_view text : to.strings)
    EXPECT_NE(text, "shifts the indices");
}

TEST(DictionaryMergerTest, DropsUnusedEntries) {
  base::Arena arena;
  Dictionary from;
  DictionaryBuilder source(&from, &arena);
  const LocationIndex location =
      source.Location({.address = 1}, {{{.function = source.Function({.start_line = 1})}}}, {});
  source.Stack({{location}});
  const AttributeIndex attribute = source.Attribute("k", AnyValue::Int(1));
  Dictionary to;
  DictionaryBuilder target(&to, &arena);
  DictionaryMerger merger(from, &target);
  merger.Need(attribute);
  merger.Run();
  EXPECT_TRUE(merger.Map(attribute));
  EXPECT_EQ(SizesOf(to), (std::vector<size_t>{2, 1, 1, 1, 1, 2, 1}));
}

}  // namespace
}  // namespace flarestack::model
