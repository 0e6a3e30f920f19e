// SPDX-License-Identifier: Apache-2.0
#include "model/builder/dictionary_builder.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace flarestack::model {
namespace {

using namespace std::string_view_literals;

class DictionaryBuilderTest : public ::testing::Test {
 protected:
  base::Arena arena_;
  Dictionary tables_;
  DictionaryBuilder builder_{&tables_, &arena_};
};

TEST_F(DictionaryBuilderTest, EachTableBeginsWithItsReservedEntry) {
  EXPECT_EQ(tables_.strings.size(), 1U);
  EXPECT_EQ(tables_.functions.size(), 1U);
  EXPECT_EQ(tables_.links.size(), 1U);
  EXPECT_EQ(tables_.stacks.size(), 1U);
  EXPECT_EQ(tables_.mappings.size(), 1U);
  EXPECT_EQ(tables_.locations.size(), 1U);
  EXPECT_EQ(tables_.attributes.size(), 1U);
}

TEST_F(DictionaryBuilderTest, EmptyContentIsIndex0AndAddsNothing) {
  EXPECT_FALSE(builder_.String(""));
  EXPECT_FALSE(builder_.Function({}));
  EXPECT_FALSE(builder_.Link({}));
  EXPECT_FALSE(builder_.Link({.trace_id = "\0\0"sv, .span_id = "\0"sv}));
  EXPECT_FALSE(builder_.Stack({}));
  EXPECT_FALSE(builder_.Mapping({}, {}));
  EXPECT_FALSE(builder_.Location({}, {}, {}));
  EXPECT_FALSE(builder_.Attribute("", AnyValue{}));
  for (const size_t size : {tables_.strings.size(), tables_.functions.size(), tables_.links.size(),
                            tables_.stacks.size(), tables_.mappings.size(),
                            tables_.locations.size(), tables_.attributes.size()}) {
    EXPECT_EQ(size, 1U);
  }
}

TEST_F(DictionaryBuilderTest, SameTextHasTheSameIndex) {
  const StringIndex main = builder_.String("main");
  EXPECT_TRUE(main);
  EXPECT_NE(builder_.String("main "), main);
  EXPECT_EQ(builder_.String("main"), main);
  EXPECT_EQ(tables_.Text(main), "main");
  EXPECT_EQ(tables_.Text(builder_.String("a\0b"sv)), "a\0b"sv);
}

TEST_F(DictionaryBuilderTest, CopiesText) {
  std::string text = "main";
  const StringIndex main = builder_.String(text);
  text = "gone";
  EXPECT_EQ(tables_.Text(main), "main");
}

TEST_F(DictionaryBuilderTest, FindsManyEntriesAgain) {
  std::vector<StringIndex> indices;
  for (int i = 0; i < 50'000; ++i)
    indices.push_back(builder_.String("function " + std::to_string(i)));
  for (int i = 0; i < 50'000; ++i)
    ASSERT_EQ(builder_.String("function " + std::to_string(i)), indices[static_cast<size_t>(i)]);
  EXPECT_EQ(tables_.strings.size(), 50'001U);
  EXPECT_TRUE(builder_.status().ok());
}

TEST_F(DictionaryBuilderTest, EveryFieldOfAFunctionMatters) {
  const StringIndex a = builder_.String("a");
  const StringIndex b = builder_.String("b");
  const std::vector<Function> different = {{.name = a},        {.name = b},
                                           {.system_name = a}, {.filename = a},
                                           {.start_line = 1},  {.name = a, .start_line = 1},
                                           {.start_line = -1}};
  std::vector<FunctionIndex> indices;
  for (const Function& function : different)
    indices.push_back(builder_.Function(function));
  for (size_t i = 0; i < different.size(); ++i) {
    EXPECT_EQ(indices[i].value, i + 1);
    EXPECT_EQ(builder_.Function(different[i]), indices[i]);
  }
}

TEST_F(DictionaryBuilderTest, EveryFieldOfAMappingMatters) {
  const AttributeIndex attribute = builder_.Attribute("build_id", AnyValue::String("abc"));
  const std::vector<Mapping> different = {{.memory_start = 1},
                                          {.memory_limit = 1},
                                          {.file_offset = 1},
                                          {.filename = builder_.String("/bin/a")}};
  for (size_t i = 0; i < different.size(); ++i)
    EXPECT_EQ(builder_.Mapping(different[i], {}).value, i + 1);
  EXPECT_EQ(builder_.Mapping({}, {{attribute}}).value, different.size() + 1);
  EXPECT_EQ(builder_.Mapping(different[2], {}).value, 3U);
}

TEST_F(DictionaryBuilderTest, EveryFieldOfALocationMatters) {
  const FunctionIndex f = builder_.Function({.start_line = 1});
  const FunctionIndex g = builder_.Function({.start_line = 2});
  const AttributeIndex attribute = builder_.Attribute("profile.frame.type", AnyValue::String("go"));
  const MappingIndex mapping = builder_.Mapping({.memory_start = 1}, {});
  const Line at_f = {.function = f, .line = 1, .column = 0};
  const Line at_g = {.function = g, .line = 1, .column = 0};
  std::vector<LocationIndex> indices = {
      builder_.Location({.address = 1}, {}, {}),
      builder_.Location({.mapping = mapping}, {}, {}),
      builder_.Location({}, {{at_f}}, {}),
      builder_.Location({}, {{{.function = f, .line = 2}}}, {}),
      builder_.Location({}, {{{.function = f, .line = 1, .column = 1}}}, {}),
      builder_.Location({}, {{at_f, at_g}}, {}),
      builder_.Location({}, {{at_g, at_f}}, {}),
      builder_.Location({}, {{at_f}}, {{attribute}}),
      builder_.Location({}, {{Line{}}}, {}),
  };
  for (size_t i = 0; i < indices.size(); ++i)
    EXPECT_EQ(indices[i].value, i + 1);
  EXPECT_EQ(builder_.Location({}, {{at_f, at_g}}, {}), indices[5]);
}

TEST_F(DictionaryBuilderTest, AttributeCountMattersButNotTheirOrder) {
  const AttributeIndex a = builder_.Attribute("a", AnyValue::Int(1));
  const AttributeIndex b = builder_.Attribute("b", AnyValue::Int(1));
  const LocationIndex ab = builder_.Location({}, {}, {{a, b}});
  EXPECT_EQ(builder_.Location({}, {}, {{b, a}}), ab);
  EXPECT_NE(builder_.Location({}, {}, {{a, b, b}}), ab);
  EXPECT_NE(builder_.Location({}, {}, {{a, a}}), ab);
  EXPECT_EQ(builder_.Mapping({}, {{a, b}}), builder_.Mapping({}, {{b, a}}));
}

TEST_F(DictionaryBuilderTest, OrderOfLocationsInAStackMatters) {
  const LocationIndex a = builder_.Location({.address = 1}, {}, {});
  const LocationIndex b = builder_.Location({.address = 2}, {}, {});
  const StackIndex ab = builder_.Stack({{a, b}});
  EXPECT_NE(builder_.Stack({{b, a}}), ab);
  EXPECT_NE(builder_.Stack({{a}}), ab);
  EXPECT_EQ(builder_.Stack({{a, b}}), ab);
  EXPECT_TRUE(builder_.Stack({{LocationIndex{}}})) << "an unknown frame is a frame";
}

TEST_F(DictionaryBuilderTest, InternsLinksByContent) {
  const std::string trace(16, 't');
  const std::string span(8, 's');
  const LinkIndex link = builder_.Link({.trace_id = trace, .span_id = span});
  EXPECT_EQ(builder_.Link({.trace_id = trace, .span_id = span}), link);
  EXPECT_NE(builder_.Link({.trace_id = trace, .span_id = std::string(8, 'x')}), link);
  EXPECT_NE(builder_.Link({.trace_id = span, .span_id = trace}), link);
}

TEST_F(DictionaryBuilderTest, AttributesOfDifferentTypesDiffer) {
  const std::vector<AnyValue> values = {
      AnyValue::String("1"), AnyValue::Bytes("1"), AnyValue::Int(1), AnyValue::Double(1),
      AnyValue::Bool(true),  AnyValue::Array({}),  AnyValue{},       AnyValue::KeyValueList({}),
      AnyValue::String("")};
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(builder_.Attribute("key", values[i]).value, i + 1);
  const AttributeIndex with_unit = builder_.Attribute("key", AnyValue::Int(1), "bytes");
  EXPECT_EQ(with_unit.value, values.size() + 1);
  EXPECT_EQ(builder_.Attribute("key", AnyValue::Int(1), "bytes"), with_unit);
}

TEST_F(DictionaryBuilderTest, StringByReferenceIsTheSameAttribute) {
  const AttributeIndex written_out = builder_.Attribute("key", AnyValue::String("value"));
  EXPECT_EQ(builder_.Attribute("key", AnyValue::Reference(builder_.String("value"))), written_out);
}

TEST_F(DictionaryBuilderTest, CopiesANestedValueFromAnotherDictionary) {
  Dictionary from;
  from.strings = {"", "one"};
  from.nodes = {{.key = "inner", .value = AnyValue::Reference({1})},
                {.value = AnyValue::KeyValueList({.begin = 0, .count = 1})},
                {.value = AnyValue::Int(7)}};
  const AnyValue array = AnyValue::Array({.begin = 1, .count = 2});
  const AttributeIndex index = builder_.Attribute(builder_.String("key"), {}, from, array);
  EXPECT_EQ(builder_.Attribute(builder_.String("key"), {}, from, array), index);
  const auto elements = In(tables_.nodes, tables_.attributes[index.value].value.nodes);
  ASSERT_EQ(elements.size(), 2U);
  EXPECT_EQ(elements[1].value.int_value, 7);
  const auto inner = In(tables_.nodes, elements[0].value.nodes);
  ASSERT_EQ(inner.size(), 1U);
  EXPECT_EQ(tables_.Key(inner[0]), "inner");
  EXPECT_EQ(tables_.String(inner[0].value), "one");
}

TEST_F(DictionaryBuilderTest, CopiesItsOwnArrayWhileThePoolGrows) {
  std::vector<KeyValue> elements(100);
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i].value = AnyValue::Int(static_cast<int64_t>(i));
  const AnyValue array = AnyValue::Array(builder_.Nodes(elements));
  const AttributeIndex index = builder_.Attribute("key", array);
  const auto copied = In(tables_.nodes, tables_.attributes[index.value].value.nodes);
  ASSERT_EQ(copied.size(), 100U);
  EXPECT_EQ(copied[99].value.int_value, 99);
}

// The output of one builder, with its text.
struct Made {
  base::Arena arena;
  Dictionary tables;
  DictionaryBuilder builder{&tables, &arena};

  void Fill() {
    const FunctionIndex main = builder.Function({.name = builder.String("main")});
    const Line line = {.function = main, .line = 3};
    const AttributeIndex attribute = builder.Attribute("key", AnyValue::String("value"));
    const LocationIndex location = builder.Location({.address = 9}, {&line, 1}, {&attribute, 1});
    builder.Stack({&location, 1});
    builder.Link({.trace_id = "0123456789abcdef", .span_id = "01234567"});
  }
};

TEST_F(DictionaryBuilderTest, ContinuesFromAnotherBuilder) {
  auto before = std::make_shared<Made>();
  before->Fill();
  const StringIndex main = before->builder.String("main");
  builder_.String("forgotten");
  builder_.ContinueFrom(before->builder, before);
  before.reset();
  EXPECT_EQ(tables_.strings.size(), 3U) << "the reserved one, a name and a key";
  EXPECT_EQ(builder_.String("main"), main);
  const Line line = {.function = builder_.Function({.name = main}), .line = 3};
  const AttributeIndex attribute = builder_.Attribute("key", AnyValue::String("value"));
  const LocationIndex location = builder_.Location({.address = 9}, {&line, 1}, {&attribute, 1});
  builder_.Stack({&location, 1});
  EXPECT_EQ(tables_.functions.size(), 2U);
  EXPECT_EQ(tables_.locations.size(), 2U);
  EXPECT_EQ(tables_.attributes.size(), 2U);
  EXPECT_EQ(tables_.stacks.size(), 2U);
  const StringIndex added = builder_.String("added");
  EXPECT_EQ(tables_.Text(added), "added");
  EXPECT_EQ(tables_.Text(main), "main");
}

TEST_F(DictionaryBuilderTest, CopiedTextOutlivesTheOtherBuilder) {
  auto before = std::make_unique<Made>();
  before->Fill();
  builder_.ContinueFrom(before->builder, nullptr);
  builder_.CopyText();
  before.reset();
  EXPECT_EQ(tables_.Text(tables_.functions[1].name), "main");
  EXPECT_EQ(tables_.Text(tables_.attributes[1].key), "key");
  EXPECT_EQ(tables_.String(tables_.attributes[1].value), "value");
  EXPECT_EQ(tables_.links[1].trace_id, "0123456789abcdef");
  EXPECT_TRUE(builder_.String("main"));
}

}  // namespace
}  // namespace flarestack::model
