// SPDX-License-Identifier: Apache-2.0
#include "model/validation/validate.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"

namespace flarestack::model {
namespace {

// A message in which everything refers to something: entry 1 of each table.
Batch GoodBatch() {
  Batch batch;
  Dictionary& tables = batch.dictionary;
  tables.strings = {"", "text"};
  tables.attribute_indices = {{1}};
  const Slice one = {.begin = 0, .count = 1};
  tables.nodes = {{.key_index = {1}, .value = AnyValue::Reference({1})},
                  {.value = AnyValue::KeyValueList(one)}};
  tables.attributes = {{}, {.key = {1}, .unit = {1}, .value = AnyValue::Reference({1})}};
  tables.mappings = {{}, {.filename = {1}, .attributes = one}};
  tables.functions = {{}, {.name = {1}, .system_name = {1}, .filename = {1}}};
  tables.lines = {{.function = {1}}};
  tables.locations = {{}, {.mapping = {1}, .lines = one, .attributes = one}};
  tables.location_indices = {{1}};
  tables.stacks = {{}, {.locations = one}};
  tables.links = {{}, {.trace_id = "t", .span_id = "s"}};
  const ValueType type = {.type = {1}, .unit = {1}};
  batch.samples = {{.stack = {1}, .link = {1}, .attributes = one}};
  batch.profiles = {{.sample_type = type, .period_type = type, .samples = one, .attributes = one}};
  batch.scopes = {{{.attributes = {.begin = 1, .count = 1}}, one}};
  batch.resources = {{.attributes = one, .scopes = one}};
  return batch;
}

TEST(ValidateTest, AcceptsAGoodBatch) { EXPECT_TRUE(ValidateIndices(GoodBatch()).ok()); }

struct BadIndex {
  std::string message;
  std::function<void(Batch&)> spoil;
};

TEST(ValidateTest, ReportsThePathOfEachKindOfIndex) {
  const std::string profile = "resource_profiles[0].scope_profiles[0].profiles[0]";
  const std::string in_strings = ": 2, but the string_table has 2 entries";
  const std::vector<BadIndex> bad = {
      {profile + ".samples[0].stack_index: 2, but the stack_table has 2 entries",
       [](Batch& b) { b.samples[0].stack = {2}; }},
      {profile + ".samples[0].link_index: -1, but the link_table has 2 entries",
       [](Batch& b) { b.samples[0].link = {0xffffffff}; }},
      {profile + ".sample_type.type_strindex" + in_strings,
       [](Batch& b) { b.profiles[0].sample_type.type = {2}; }},
      {profile + ".sample_type.unit_strindex" + in_strings,
       [](Batch& b) { b.profiles[0].sample_type.unit = {2}; }},
      {profile + ".period_type.type_strindex" + in_strings,
       [](Batch& b) { b.profiles[0].period_type.type = {2}; }},
      {profile + ".period_type.unit_strindex" + in_strings,
       [](Batch& b) { b.profiles[0].period_type.unit = {2}; }},
      {profile + ".attribute_indices[0]: 2, but the attribute_table has 2 entries",
       [](Batch& b) { b.dictionary.attribute_indices[0] = {2}; }},
      {"resource_profiles[0].resource.attributes[0].key_strindex" + in_strings,
       [](Batch& b) { b.dictionary.nodes[0].key_index = {2}; }},
      {"resource_profiles[0].resource.attributes[0].string_value_strindex" + in_strings,
       [](Batch& b) { b.dictionary.nodes[0].value = AnyValue::Reference({2}); }},
      {"resource_profiles[0].scope_profiles[0].scope.attributes[0].key_strindex" + in_strings,
       [](Batch& b) { b.dictionary.nodes[1].key_index = {2}; }},
      {"dictionary.mapping_table[1].filename_strindex" + in_strings,
       [](Batch& b) { b.dictionary.mappings[1].filename = {2}; }},
      {"dictionary.function_table[1].name_strindex" + in_strings,
       [](Batch& b) { b.dictionary.functions[1].name = {2}; }},
      {"dictionary.function_table[1].system_name_strindex" + in_strings,
       [](Batch& b) { b.dictionary.functions[1].system_name = {2}; }},
      {"dictionary.function_table[1].filename_strindex" + in_strings,
       [](Batch& b) { b.dictionary.functions[1].filename = {2}; }},
      {"dictionary.attribute_table[1].key_strindex" + in_strings,
       [](Batch& b) { b.dictionary.attributes[1].key = {2}; }},
      {"dictionary.attribute_table[1].unit_strindex" + in_strings,
       [](Batch& b) { b.dictionary.attributes[1].unit = {2}; }},
      {"dictionary.attribute_table[1].value.string_value_strindex" + in_strings,
       [](Batch& b) { b.dictionary.attributes[1].value.string_index = {2}; }},
      {"dictionary.location_table[1].mapping_index: 2, but the mapping_table has 2 entries",
       [](Batch& b) { b.dictionary.locations[1].mapping = {2}; }},
      {"dictionary.location_table[1].lines[0].function_index: 2, but the function_table has 2 "
       "entries",
       [](Batch& b) { b.dictionary.lines[0].function = {2}; }},
      {"dictionary.stack_table[1].location_indices[0]: 2, but the location_table has 2 entries",
       [](Batch& b) { b.dictionary.location_indices[0] = {2}; }},
  };
  for (const BadIndex& index : bad) {
    Batch batch = GoodBatch();
    index.spoil(batch);
    const absl::Status status = ValidateIndices(batch);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << index.message;
    EXPECT_EQ(base::Message(status), index.message);
  }
}

TEST(ValidateTest, FindsABadIndexDeepInsideAValue) {
  Batch batch = GoodBatch();
  Dictionary& tables = batch.dictionary;
  tables.nodes.push_back({.value = AnyValue::Array({.begin = 3, .count = 1})});
  tables.nodes.push_back({.value = AnyValue::Reference({9})});
  tables.attributes[1].value = AnyValue::KeyValueList({.begin = 2, .count = 1});
  EXPECT_EQ(base::Message(ValidateIndices(batch)),
            "dictionary.attribute_table[1].value.kvlist_value.values[0].array_value.values[0]"
            ".string_value_strindex: 9, but the string_table has 2 entries");
}

// If the tables are empty, even the default index 0 is out of range.
TEST(ValidateTest, BatchWithoutTablesIsAnInputError) {
  Batch batch;
  EXPECT_NE(ValidateIndices(batch).code(), absl::StatusCode::kInternal);
  batch.profiles.emplace_back();
  batch.scopes = {{{}, {.begin = 0, .count = 1}}};
  batch.resources = {{.scopes = {.begin = 0, .count = 1}}};
  EXPECT_EQ(ValidateIndices(batch).code(), absl::StatusCode::kInvalidArgument);
}

TEST(RepairTextTest, KeepsValidText) {
  Batch batch = GoodBatch();
  const char* const before = batch.dictionary.strings[1].data();
  base::Warnings warnings;
  RepairText(&batch, &warnings);
  EXPECT_EQ(batch.dictionary.strings[1].data(), before);
  EXPECT_TRUE(warnings.empty());
}

TEST(RepairTextTest, RepairsAndReportsEachText) {
  const std::string bad = "0123456\xff";  // eight bytes: exactly one word of the ASCII check
  const std::string good = "0123456\xEF\xBF\xBD";
  Batch batch = GoodBatch();
  batch.dictionary.strings[1] = bad;
  batch.dictionary.attributes[1].value = AnyValue::String(bad);
  batch.dictionary.nodes[0].key = bad;
  batch.dictionary.nodes[0].value = AnyValue::String(bad);
  batch.resources[0].schema_url = bad;
  batch.scopes[0].name = bad;
  batch.scopes[0].version = bad;
  batch.scopes[0].schema_url = bad;
  batch.entity_refs = {{.schema_url = bad, .type = bad}};
  batch.entity_keys = {bad};
  batch.profiles[0].original_payload_format = bad;
  batch.profiles[0].original_payload = bad;
  base::Warnings warnings;
  RepairText(&batch, &warnings);
  EXPECT_EQ(batch.dictionary.strings[1], good);
  EXPECT_EQ(batch.dictionary.attributes[1].value.text, good);
  EXPECT_EQ(batch.dictionary.nodes[0].key, good);
  EXPECT_EQ(batch.dictionary.nodes[0].value.text, good);
  EXPECT_EQ(batch.resources[0].schema_url, good);
  EXPECT_EQ(batch.scopes[0].name, good);
  EXPECT_EQ(batch.scopes[0].version, good);
  EXPECT_EQ(batch.scopes[0].schema_url, good);
  EXPECT_EQ(batch.entity_refs[0].schema_url, good);
  EXPECT_EQ(batch.entity_refs[0].type, good);
  EXPECT_EQ(batch.entity_keys[0], good);
  EXPECT_EQ(batch.profiles[0].original_payload_format, good);
  EXPECT_EQ(batch.profiles[0].original_payload, bad) << "bytes, not text";
  ASSERT_EQ(warnings.kinds().size(), 1U);
  EXPECT_EQ(warnings.kinds().begin()->second.count, 12U);
}

TEST(RepairTextTest, DoesNotRepairBytes) {
  Batch batch = GoodBatch();
  batch.dictionary.attributes[1].value = AnyValue::Bytes("\xff");
  base::Warnings warnings;
  RepairText(&batch, &warnings);
  EXPECT_EQ(batch.dictionary.attributes[1].value.text, "\xff");
  EXPECT_TRUE(warnings.empty());
}

}  // namespace
}  // namespace flarestack::model
