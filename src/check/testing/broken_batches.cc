// SPDX-License-Identifier: Apache-2.0
#include "check/testing/broken_batches.h"

#include <utility>

#include "check/testing/clean_batch.h"

namespace flarestack::check::testing {
namespace {

using model::AnyValue;
using model::Batch;
using namespace std::literals;

void GiveSample(Batch* batch, std::string_view key, const AnyValue& value) {
  AddToList(batch, &batch->samples.back().attributes, AddAttribute(batch, key, value));
}

model::Mapping& AddMapping(Batch* batch) {
  model::Mapping mapping = batch->dictionary.mappings[1];
  mapping.memory_limit = 0x3000;
  mapping.attributes = {};
  batch->dictionary.mappings.push_back(mapping);
  batch->dictionary.locations[2].mapping = {2};
  return batch->dictionary.mappings.back();
}

void AddScope(Batch* batch) {
  batch->resources.push_back({.present = true, .scopes = {.begin = 1, .count = 1}});
  batch->scopes.push_back({{.present = true}, {}});
}

void KeepReservedEntries(Batch* batch) {
  model::Dictionary& tables = batch->dictionary;
  tables.mappings.resize(1);
  tables.locations.resize(1);
  tables.functions.resize(1);
  tables.links.resize(1);
  tables.strings.resize(1);
  tables.attributes.resize(1);
  tables.stacks.resize(1);
  tables.lines.clear();
  tables.location_indices.clear();
  tables.attribute_indices.clear();
  tables.nodes.clear();
}

std::vector<BrokenBatch> StructureCases() {
  return {
      {Rule::kResourceProfilesMissing, "resource_profiles",
       [](Batch* b) { b->ClearProfiles(), KeepReservedEntries(b); }},
      {Rule::kScopeProfilesMissing, "resource_profiles[1].scope_profiles",
       [](Batch* b) { b->resources.emplace_back(); }},
      {Rule::kProfilesMissing, "resource_profiles[1].scope_profiles[0].profiles", AddScope},
      {Rule::kDictionaryMissing, "dictionary",
       [](Batch* b) {
         b->dictionary.Clear();
         b->resources[0].attributes = {};
         b->resources[0].entity_refs = {};
         b->scopes[0].attributes = {};
         b->profiles[0].sample_type = b->profiles[0].period_type = {};
         b->profiles[0].period = 0;
         b->profiles[0].samples.count = 1;
         b->samples[0].attributes = {};
         b->samples[0].stack = {};
         b->samples[0].link = {};
       }},
      {Rule::kTableEmpty, "dictionary.link_table",
       [](Batch* b) {
         b->dictionary.links.clear();
         b->samples[0].link = {};
       }},
      {Rule::kZeroEntry, "dictionary.function_table[0]",
       [](Batch* b) { b->dictionary.functions[0].start_line = 3; }},
      {Rule::kZeroEntry, "dictionary.link_table[0]",
       [](Batch* b) { b->dictionary.links[0].span_id = "\0\0\0\0\0\0\0\1"sv; }},
      {Rule::kZeroEntry, "dictionary.string_table[0]",
       [](Batch* b) {
         b->dictionary.strings[0] = "x";
         b->profiles[0].sample_type.unit = {2};
       }},
      {Rule::kDefaultProfileEmpty, "~",
       [](Batch* b) {
         b->profiles.insert(b->profiles.begin(), b->profiles[0]);
         b->profiles[0].samples = {};
         b->scopes[0].profiles.count = 2;
       }},
      {Rule::kSchemaUrl, "resource_profiles[0].schema_url",
       [](Batch* b) { b->resources[0].schema_url = "opentelemetry.io/1.0"; }},
      {Rule::kSchemaUrl, "resource_profiles[0].scope_profiles[0].schema_url",
       [](Batch* b) { b->scopes[0].schema_url = "https://opentelemetry.io/schemas/"; }},
  };
}

std::vector<BrokenBatch> IndexCases() {
  return {
      {Rule::kStringIndexRange, "dictionary.function_table[1].system_name_strindex",
       [](Batch* b) { b->dictionary.functions[1].system_name = {99}; }},
      {Rule::kStringIndexRange, "resource_profiles[0].resource.attributes[1].key_strindex",
       [](Batch* b) {
         b->dictionary.nodes[1].key = {};
         b->dictionary.nodes[1].key_index = {99};
         b->entity_refs[0].description_keys.count = 0;
       }},
      {Rule::kStringIndexRange,
       "resource_profiles[0].scope_profiles[0].scope.attributes[0].value.kvlist_value.values[0]"
       ".value.array_value.values[0].string_value_strindex",
       [](Batch* b) { b->dictionary.nodes[2].value = AnyValue::Reference({99}); }},
      {Rule::kMappingIndexRange, "dictionary.location_table[2].mapping_index",
       [](Batch* b) { b->dictionary.locations[2].mapping = {2}; }},
      {Rule::kLocationIndexRange, "dictionary.stack_table[2].location_indices[1]",
       [](Batch* b) { AddFrame(b, {3}); }},
      {Rule::kFunctionIndexRange, "dictionary.location_table[2].lines[1].function_index",
       [](Batch* b) { AddLine(b, {.function = {3}, .line = 1}); }},
      {Rule::kLinkIndexRange, "~.samples[1].link_index",
       [](Batch* b) { b->samples[1].link = {0xffffffff}; }},
      {Rule::kAttributeIndexRange, "~.samples[1].attribute_indices[0]",
       [](Batch* b) { AddToList(b, &b->samples[1].attributes, {99}); }},
      {Rule::kStackIndexRange, "~.samples[2].stack_index",
       [](Batch* b) { AddSample(b, {0xfffffff0}, {}); }},
      {Rule::kNullLocation, "dictionary.stack_table[2].location_indices[1]",
       [](Batch* b) { AddFrame(b, {0}); }},
      {Rule::kNullAttribute, "~.samples[1].attribute_indices[0]",
       [](Batch* b) { AddToList(b, &b->samples[1].attributes, {0}); }},
      {Rule::kNullStack, "~.samples[2].stack_index", [](Batch* b) { AddSample(b, {0}, {}); }},
      {Rule::kNullFunction, "dictionary.location_table[2].lines[1].function_index",
       [](Batch* b) { AddLine(b, {.function = {0}, .line = 1}); }},
  };
}

std::vector<BrokenBatch> ProfileCases() {
  return {
      {Rule::kSampleTypeMissing, "~.sample_type",
       [](Batch* b) { b->profiles[0].sample_type = {}; }},
      {Rule::kPeriodType, "~.period", [](Batch* b) { b->profiles[0].period = 0; }},
      {Rule::kPeriodType, "~.period_type", [](Batch* b) { b->profiles[0].period_type = {}; }},
      {Rule::kPeriodNegative, "~.period", [](Batch* b) { b->profiles[0].period = -1; }},
      {Rule::kProfileId, "~.profile_id", [](Batch* b) { b->profiles[0].profile_id = "short"; }},
      {Rule::kProfileId, "~.profile_id",
       [](Batch* b) { b->profiles[0].profile_id = "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"sv; }},
      {Rule::kOriginalPayloadPair, "~.original_payload_format",
       [](Batch* b) { b->profiles[0].original_payload = "x"; }},
      {Rule::kOriginalPayloadPair, "~.original_payload",
       [](Batch* b) { b->profiles[0].original_payload_format = "jfr"; }},
      {Rule::kOriginalPayloadFormat, "~.original_payload_format",
       [](Batch* b) {
         b->profiles[0].original_payload_format = "elf";
         b->profiles[0].original_payload = "x";
       }},
      {Rule::kTimePlausible, "~.time_unix_nano",
       [](Batch* b) {
         b->profiles[0].time_unix_nano = 1'700'000'000;
         b->timestamps = {1'700'000'000, 1'700'000'001};
       }},
      {Rule::kDurationPlausible, "~.duration_nano",
       [](Batch* b) { b->profiles[0].duration_nano *= 100'000; }},
      {Rule::kSampleEmpty, "~.samples[2]",
       [](Batch* b) {
         model::Sample& sample = AddSample(b, {2}, {1});
         sample.values = sample.timestamps = {};
       }},
      {Rule::kSampleCountsDiffer, "~.samples[1]",
       [](Batch* b) {
         b->values.push_back(1);
         b->samples[1].values.count = 2;
       }},
      {Rule::kSampleManyValues, "~.samples[1].values",
       [](Batch* b) {
         b->values.push_back(1);
         b->samples[1].values.count = 2;
         b->samples[0].timestamps.count = b->samples[1].timestamps.count = 0;
       }},
      {Rule::kSampleShape, "~.samples[1]", [](Batch* b) { b->samples[1].timestamps.count = 0; }},
      {Rule::kSampleDuplicate, "~.samples[2]", [](Batch* b) { AddSample(b, {2}, {}); }},
      {Rule::kTimestampRange, "~.samples[1].timestamps_unix_nano[0]",
       [](Batch* b) { b->timestamps[1] = kCleanTime + kCleanDuration; }},
      {Rule::kTimestampRange, "~.samples[0].timestamps_unix_nano[0]",
       [](Batch* b) { b->timestamps[0] = kCleanTime - 1; }},
  };
}

std::vector<BrokenBatch> TableCases() {
  return {
      {Rule::kMappingRange, "dictionary.mapping_table[1]",
       [](Batch* b) { b->dictionary.mappings[1].memory_limit = 0x1000; }},
      {Rule::kMappingBuildId, "dictionary.mapping_table[2]", [](Batch* b) { AddMapping(b); }},
      {Rule::kMappingHtlhash, "dictionary.mapping_table[2]",
       [](Batch* b) { AddToList(b, &AddMapping(b).attributes, {2}); }},
      {Rule::kBuildIdValue, "dictionary.attribute_table[1].value",
       [](Batch* b) { b->dictionary.attributes[1].value = AnyValue::String("xyz"); }},
      {Rule::kBuildIdValue, "dictionary.attribute_table[2].value",
       [](Batch* b) { b->dictionary.attributes[2].value = AnyValue::String(""); }},
      {Rule::kAddressOutsideMapping, "dictionary.location_table[2].address",
       [](Batch* b) { b->dictionary.locations[2].address = 0x2001; }},
      {Rule::kLineNegative, "dictionary.location_table[2].lines[0].line",
       [](Batch* b) { b->dictionary.lines[1].line = -1; }},
      {Rule::kLineNegative, "dictionary.function_table[2].start_line",
       [](Batch* b) { b->dictionary.functions[2].start_line = -1; }},
      {Rule::kColumnWithoutLine, "dictionary.location_table[2].lines[0].column",
       [](Batch* b) { b->dictionary.lines[1] = {.function = {2}, .line = 0, .column = 4}; }},
      {Rule::kLineBeforeFunction, "dictionary.location_table[1].lines[0].line",
       [](Batch* b) { b->dictionary.functions[1].start_line = 13; }},
      {Rule::kFunctionNameMissing, "dictionary.function_table[3]",
       [](Batch* b) {
         b->dictionary.functions.emplace_back();
         AddLine(b, {.function = {3}, .line = 1});
       }},
      {Rule::kLinkIdLength, "dictionary.link_table[1].span_id",
       [](Batch* b) { b->dictionary.links[1].span_id = "abc"; }},
      {Rule::kLinkIdZero, "dictionary.link_table[1]",
       [](Batch* b) {
         b->dictionary.links[1] = {.trace_id = "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"sv,
                                   .span_id = "\0\0\0\0\0\0\0\0"sv};
       }},
      {Rule::kDuplicateEntry, "dictionary.string_table[13]",
       [](Batch* b) { b->dictionary.functions[2].filename = AddString(b, "main"); }},
      {Rule::kDuplicateEntry, "dictionary.stack_table[3]",
       [](Batch* b) {
         b->dictionary.stacks.push_back(b->dictionary.stacks[2]);
         AddSample(b, {3}, {});
       }},
      {Rule::kDuplicateEntry, "dictionary.link_table[2]",
       [](Batch* b) {
         b->dictionary.links.push_back(b->dictionary.links[1]);
         b->samples[1].link = {2};
       }},
      {Rule::kDuplicateEntry, "dictionary.attribute_table[5]",
       [](Batch* b) { GiveSample(b, "thread.id", AnyValue::Int(7)); }},
      {Rule::kOrphanEntry, "dictionary.string_table[13]", [](Batch* b) { AddString(b, "x"); }},
      {Rule::kOrphanEntry, "dictionary.link_table[1]", [](Batch* b) { b->samples[0].link = {}; }},
  };
}

std::vector<BrokenBatch> AttributeCases() {
  return {
      {Rule::kAttributeKeyDuplicate, "~.samples[1].attribute_indices[1]",
       [](Batch* b) {
         AddToList(b, &b->samples[1].attributes, {4});
         GiveSample(b, "thread.id", AnyValue::Int(8));
       }},
      {Rule::kKeyValueDuplicate, "resource_profiles[0].resource.attributes[2]",
       [](Batch* b) {
         const auto nodes = b->dictionary.nodes;
         b->resources[0].attributes =
             AddNodes(b, {nodes[0], nodes[1], {.key = "service.name", .value = nodes[1].value}});
       }},
      {Rule::kKeyGivenTwice, "resource_profiles[0].resource.attributes[0]",
       [](Batch* b) { b->dictionary.nodes[0].key = "service.name"; }},
      {Rule::kAttributeKeyEmpty, "dictionary.attribute_table[5].key_strindex",
       [](Batch* b) { GiveSample(b, "", AnyValue::Int(8)); }},
      {Rule::kAttributeValueMissing, "dictionary.attribute_table[5].value",
       [](Batch* b) { GiveSample(b, "thread.id", {}); }},
      {Rule::kAttributeUnit, "dictionary.attribute_table[4].unit_strindex",
       [](Batch* b) { b->dictionary.attributes[4].unit = AddString(b, "seconds"); }},
      {Rule::kEntityType, "resource_profiles[0].resource.entity_refs[0].type",
       [](Batch* b) { b->entity_refs[0].type = {}; }},
      {Rule::kEntityIdKeys, "resource_profiles[0].resource.entity_refs[0].id_keys",
       [](Batch* b) { b->entity_refs[0].id_keys = {}; }},
      {Rule::kEntityKeyUnknown, "resource_profiles[0].resource.entity_refs[0].id_keys[0]",
       [](Batch* b) { b->entity_keys[0] = "service.nam"; }},
      {Rule::kAttributeName, "dictionary.attribute_table[5]",
       [](Batch* b) { GiveSample(b, "system.cpu.state", AnyValue::String("user")); }},
      {Rule::kAttributeType, "dictionary.attribute_table[4].value",
       [](Batch* b) { b->dictionary.attributes[4].value = AnyValue::String("7"); }},
      {Rule::kAttributePlace, "~.samples[1].attribute_indices[0]",
       [](Batch* b) { AddToList(b, &b->samples[1].attributes, {3}); }},
      {Rule::kSampleTypeOrder, "resource_profiles[0].scope_profiles[0].scope.attributes[0].value",
       [](Batch* b) {
         const model::Slice order = AddNodes(b, {{.value = AnyValue::Int(1)}});
         b->scopes[0].attributes = AddNodes(
             b, {{.key = "pprof.scope.sample_type_order", .value = AnyValue::Array(order)}});
       }},
      {Rule::kDocUrl, "dictionary.attribute_table[5].value",
       [](Batch* b) {
         AddToList(b, &b->profiles[0].attributes,
                   AddAttribute(b, "pprof.profile.doc_url", AnyValue::String("help.html")));
       }},
      {Rule::kFrameType, "dictionary.attribute_table[3].value",
       [](Batch* b) { b->dictionary.attributes[3].value = AnyValue::String("Python"); }},
      {Rule::kSampleTypeUnit, "~.sample_type.unit_strindex",
       [](Batch* b) { b->profiles[0].sample_type.unit = AddString(b, "bytes"); }},
  };
}

}  // namespace

std::vector<BrokenBatch> BrokenBatches() {
  std::vector<BrokenBatch> all;
  for (const auto& cases :
       {StructureCases(), IndexCases(), ProfileCases(), TableCases(), AttributeCases()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

}  // namespace flarestack::check::testing
