// SPDX-License-Identifier: Apache-2.0
//
// Ids are stored and compared between machines, so the numbers below must never change.
#include "model/builder/content_ids.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/memory/arena.h"
#include "model/builder/dictionary_builder.h"

namespace flarestack::model {
namespace {

// One entry of each kind, after `strings_before` other strings that shift the indices.
struct Sample {
  base::Arena arena;
  Dictionary tables;
  AttributeIndex attribute;
  MappingIndex mapping;
  FunctionIndex function;
  LocationIndex location;
  StackIndex stack;

  explicit Sample(int strings_before) {
    DictionaryBuilder builder(&tables, &arena);
    for (int i = 0; i < strings_before; ++i) {
      builder.String("other " + std::to_string(i));
      builder.Attribute("other", AnyValue::Int(i));
      builder.Location({.address = 0x9000U + static_cast<uint64_t>(i)}, {}, {});
    }
    const AttributeIndex build_id = builder.Attribute("process.executable.build_id.gnu",
                                                      AnyValue::String("5f1c0d7e9ab3c2464c8f21d0"));
    attribute = builder.Attribute("profile.frame.type", AnyValue::String("native"));
    std::vector<AttributeIndex> both = {build_id, attribute};
    if (strings_before % 2 != 0)
      both = {attribute, build_id};
    mapping = builder.Mapping({.memory_start = 0x400000,
                               .memory_limit = 0x500000,
                               .file_offset = 0x1000,
                               .filename = builder.String("/usr/bin/cart")},
                              both);
    function = builder.Function({.name = builder.String("Cart::Total"),
                                 .system_name = builder.String("_ZN4Cart5TotalEv"),
                                 .filename = builder.String("cart.cc"),
                                 .start_line = 12});
    location = builder.Location({.mapping = mapping, .address = 0x401234},
                                {{{.function = function, .line = 14, .column = 3}}}, {{attribute}});
    const LocationIndex caller = builder.Location({.address = 0x402000}, {}, {});
    stack = builder.Stack({{location, caller}});
  }
};

TEST(ContentIdTest, IdsNeverChange) {
  const Sample sample(0);
  const ContentIds ids = ComputeContentIds(sample.tables);
  EXPECT_EQ(StringId("Cart::Total").ToHex(), "a67d6d4c678405642fbd873ebe1d40d3");
  EXPECT_EQ(ids.attributes[sample.attribute.value].ToHex(), "cb24d42ea90337fa7c7279102659c75e");
  EXPECT_EQ(ids.mappings[sample.mapping.value].ToHex(), "18ef5b2ebd7757661675889f433d883c");
  EXPECT_EQ(ids.functions[sample.function.value].ToHex(), "111e0693048d75bca05ce4e10afcc181");
  EXPECT_EQ(ids.locations[sample.location.value].ToHex(), "6b6450fa2ba43a3a70df72d51c7d3a68");
  EXPECT_EQ(ids.stacks[sample.stack.value].ToHex(), "b871fc7a23e4ee7c313e5a2372c4e04b");
}

TEST(ContentIdTest, IdsDoNotDependOnMessageIndices) {
  const Sample one(0);
  const Sample two(7);
  ASSERT_NE(one.stack.value + 100, two.location.value);
  const ContentIds a = ComputeContentIds(one.tables);
  const ContentIds b = ComputeContentIds(two.tables);
  EXPECT_EQ(a.attributes[one.attribute.value], b.attributes[two.attribute.value]);
  EXPECT_EQ(a.mappings[one.mapping.value], b.mappings[two.mapping.value]);
  EXPECT_EQ(a.functions[one.function.value], b.functions[two.function.value]);
  EXPECT_EQ(a.locations[one.location.value], b.locations[two.location.value]);
  EXPECT_EQ(a.stacks[one.stack.value], b.stacks[two.stack.value]);
}

TEST(ContentIdTest, Entry0HasTheZeroId) {
  const Sample sample(0);
  const ContentIds ids = ComputeContentIds(sample.tables);
  for (const auto* table :
       {&ids.attributes, &ids.mappings, &ids.functions, &ids.locations, &ids.stacks}) {
    EXPECT_EQ(table->front(), ContentId{});
    for (size_t i = 1; i < table->size(); ++i)
      EXPECT_NE((*table)[i], ContentId{});
  }
}

// A sender may repeat the empty entry; it then means the same as entry 0.
TEST(ContentIdTest, EmptyEntryHasTheZeroIdAtAnyIndex) {
  Dictionary tables;
  tables.strings = {"", ""};
  tables.attributes = {{}, {.key = {1}}};
  tables.mappings = {{}, {.filename = {1}}};
  tables.functions = {{}, {.name = {1}}};
  tables.locations = {{}, {.mapping = {1}}, {.address = 5}, {.mapping = {1}, .address = 5}};
  tables.stacks = {{}, {}};
  const ContentIds ids = ComputeContentIds(tables);
  EXPECT_EQ(ids.attributes[1], ContentId{});
  EXPECT_EQ(ids.mappings[1], ContentId{});
  EXPECT_EQ(ids.functions[1], ContentId{});
  EXPECT_EQ(ids.locations[1], ContentId{});
  EXPECT_EQ(ids.locations[2], ids.locations[3]);
  EXPECT_EQ(ids.stacks[1], ContentId{});
}

TEST(ContentIdTest, SameTextInAnotherFieldHasAnotherId) {
  Dictionary tables;
  tables.strings = {"", "a", "b"};
  tables.functions = {{},
                      {.name = {1}},
                      {.system_name = {1}},
                      {.filename = {1}},
                      {.name = {1}, .filename = {2}},
                      {.name = {2}, .filename = {1}}};
  const ContentIds ids = ComputeContentIds(tables);
  for (size_t i = 0; i < ids.functions.size(); ++i) {
    for (size_t j = 0; j < i; ++j)
      EXPECT_NE(ids.functions[i], ids.functions[j]) << i << " and " << j;
  }
}

}  // namespace
}  // namespace flarestack::model
