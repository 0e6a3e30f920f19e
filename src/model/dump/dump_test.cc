// SPDX-License-Identifier: Apache-2.0
#include "model/dump/dump.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "model/builder/batch_builder.h"

namespace flarestack::model {
namespace {

// A resource with one attribute "k" of the given value.
std::string DumpOf(const AnyValue& value) {
  BatchBuilder builder;
  const std::vector<KeyValue> nodes = {{.key = "k", .key_index = {}, .value = value}};
  Resource resource;
  resource.present = true;
  resource.attributes = builder.dictionary().Nodes(nodes);
  builder.AddResource(resource);
  return Dump(*std::move(builder).Finish());
}

TEST(DumpTest, EmptyBatchHasAnEmptyDump) { EXPECT_EQ(Dump(*BatchBuilder().Finish()), ""); }

// A stack of one location in a mapping, with an inlined function.
StackIndex AddStack(DictionaryBuilder& tables) {
  const AttributeIndex build = tables.Attribute("build", AnyValue::String("ab"));
  const MappingIndex mapping = tables.Mapping({.memory_start = 16,
                                               .memory_limit = 32,
                                               .file_offset = 1,
                                               .filename = tables.String("/bin/x"),
                                               .attributes = {}},
                                              {{build}});
  const FunctionIndex leaf = tables.Function({.name = tables.String("leaf"),
                                              .system_name = {},
                                              .filename = tables.String("l.cc"),
                                              .start_line = 3});
  const std::vector<Line> lines = {{.function = leaf, .line = 4, .column = 0}, Line{}};
  Location location;
  location.mapping = mapping;
  location.address = 20;
  return tables.Stack({{tables.Location(location, lines, {})}});
}

TEST(DumpTest, DumpsAReadableProfile) {
  BatchBuilder builder;
  DictionaryBuilder& tables = builder.dictionary();
  Resource resource;
  resource.present = true;
  Scope scope;
  scope.present = true;
  scope.name = "reader";
  Profile profile;
  profile.sample_type = {.type = tables.String("cpu"), .unit = tables.String("ns")};
  profile.period = -1;
  profile.profile_id = std::string_view("\0\0", 2);
  profile.original_payload_format = "jfr";
  builder.AddProfile(builder.AddScope(builder.AddResource(resource), scope), profile);
  const std::vector<AttributeIndex> attributes = {tables.Attribute("z", AnyValue::Int(1), "By"),
                                                  tables.Attribute("a", AnyValue::Bool(true))};
  builder.AddSample({.stack = AddStack(tables),
                     .link = tables.Link({.trace_id = "tttt", .span_id = "ss"}),
                     .attributes = tables.AttributeList(attributes),
                     .values = builder.Values({{1, -2}}),
                     .timestamps = builder.Timestamps({{5, 6}})});
  EXPECT_EQ(Dump(*std::move(builder).Finish()), R"(resource
  scope
    name "reader"
    profile
      sample_type "cpu" unit "ns"
      period -1
      original_payload_format "jfr"
      sample
        values 1 -2
        timestamps 5 6
        link trace 74747474 span 7373
        attribute "a" = bool true
        attribute "z" = int 1 unit "By"
        location 0x14
          mapping "/bin/x" 0x10-0x20 offset 0x1
            attribute "build" = string "ab"
          frame "leaf" file "l.cc" start_line 3 line 4
          frame ""
)");
}

TEST(DumpTest, ValuesShowTheirType) {
  EXPECT_EQ(DumpOf(AnyValue::Int(5)), "resource\n  attribute \"k\" = int 5\n");
  EXPECT_EQ(DumpOf(AnyValue::Double(5)), "resource\n  attribute \"k\" = double 5\n");
  EXPECT_EQ(DumpOf(AnyValue::Double(-0.0)), "resource\n  attribute \"k\" = double -0\n");
  EXPECT_EQ(DumpOf(AnyValue::Double(-std::nan(""))), "resource\n  attribute \"k\" = double nan\n");
  EXPECT_EQ(DumpOf(AnyValue::String("5")), "resource\n  attribute \"k\" = string \"5\"\n");
  EXPECT_EQ(DumpOf(AnyValue::Bytes("5")), "resource\n  attribute \"k\" = bytes 35\n");
  EXPECT_EQ(DumpOf(AnyValue::Bool(false)), "resource\n  attribute \"k\" = bool false\n");
  EXPECT_EQ(DumpOf(AnyValue()), "resource\n  attribute \"k\" = empty\n");
  EXPECT_EQ(DumpOf(AnyValue::Array({})), "resource\n  attribute \"k\" = array []\n");
  EXPECT_EQ(DumpOf(AnyValue::KeyValueList({})), "resource\n  attribute \"k\" = kvlist {}\n");
}

TEST(DumpTest, StringByReferenceIsAString) {
  EXPECT_EQ(DumpOf(AnyValue::Reference({})), DumpOf(AnyValue::String("")));
}

TEST(DumpTest, DifferentBytesLookDifferent) {
  const std::vector<std::string> texts = {"\xff", "\\xff", "\xfe", "\xEF\xBF\xBD", "ÿ",
                                          "",     "a\n",   "a\\n", "\"",           "\xff\""};
  for (size_t i = 0; i < texts.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      EXPECT_NE(DumpOf(AnyValue::String(texts[i])), DumpOf(AnyValue::String(texts[j])))
          << i << " " << j;
    }
  }
  EXPECT_EQ(DumpOf(AnyValue::String("a\xff\n")),
            "resource\n  attribute \"k\" = string \"a\\xff\\n\"\n");
}

TEST(DumpTest, DumpDoesNotDependOnTheTableLayout) {
  const auto dump = [](bool other_way) {
    BatchBuilder builder;
    DictionaryBuilder& tables = builder.dictionary();
    if (other_way) {
      tables.String("an orphan");
    }
    const std::vector<AttributeIndex> attributes = {tables.Attribute("a", AnyValue::Int(1)),
                                                    tables.Attribute("b", AnyValue::Int(2))};
    const std::vector<AttributeIndex> reversed(attributes.rbegin(), attributes.rend());
    Profile profile;
    profile.sample_type.type = tables.String("cpu");
    builder.AddProfile(builder.AddScope(builder.AddResource({}), {}), profile);
    Sample sample;
    sample.attributes = tables.AttributeList(other_way ? reversed : attributes);
    sample.values = builder.Values({{1}});
    builder.AddSample(sample);
    return Dump(*std::move(builder).Finish());
  };
  EXPECT_EQ(dump(false), dump(true));
}

}  // namespace
}  // namespace flarestack::model
