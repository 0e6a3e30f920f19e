// SPDX-License-Identifier: Apache-2.0
#include "check/testing/clean_batch.h"

#include "codec/otlp/profiles/protobuf_writer.h"

namespace flarestack::check::testing {
namespace {

using model::AnyValue;
using namespace std::literals;

void AddTables(model::Batch* batch) {
  model::Dictionary& tables = batch->dictionary;
  tables.strings = {"",     "cpu",    "nanoseconds", "service.name",     "checkout",
                    "main", "main.c", "leaf",        "/usr/bin/checkout"};
  tables.attributes = {{}};
  const model::AttributeIndex hash =
      AddAttribute(batch, "process.executable.build_id.htlhash",
                   AnyValue::String("0123456789abcdef0123456789abcdef"));
  const model::AttributeIndex gnu =
      AddAttribute(batch, "process.executable.build_id.gnu", AnyValue::String("cafe"));
  const model::AttributeIndex frame_type =
      AddAttribute(batch, "profile.frame.type", AnyValue::String("native"));
  tables.attribute_indices = {hash, gnu, frame_type};
  tables.mappings = {{},
                     {.memory_start = 0x1000,
                      .memory_limit = 0x2000,
                      .file_offset = 0,
                      .filename = {8},
                      .attributes = {.begin = 0, .count = 2}}};
  tables.functions = {{},
                      {.name = {5}, .system_name = {}, .filename = {6}, .start_line = 10},
                      {.name = {7}, .system_name = {}, .filename = {6}, .start_line = 0}};
  tables.lines = {{.function = {1}, .line = 12, .column = 3},
                  {.function = {2}, .line = 5, .column = 0}};
  tables.locations = {
      {},
      {.mapping = {1},
       .address = 0x1100,
       .lines = {.begin = 0, .count = 1},
       .attributes = {.begin = 2, .count = 1}},
      {.mapping = {1}, .address = 0x1200, .lines = {.begin = 1, .count = 1}, .attributes = {}}};
  tables.location_indices = {{2}, {1}, {1}};
  tables.stacks = {
      {}, {.locations = {.begin = 0, .count = 2}}, {.locations = {.begin = 2, .count = 1}}};
  tables.links = {{}, {.trace_id = "0123456789abcdef", .span_id = "01234567"}};
}

void AddTree(model::Batch* batch) {
  batch->entity_keys = {"service.name", "host.name"};
  batch->entity_refs = {{.schema_url = {},
                         .type = "service",
                         .id_keys = {.begin = 0, .count = 1},
                         .description_keys = {.begin = 1, .count = 1}}};
  const model::Slice resource_attributes =
      AddNodes(batch, {{.key = {}, .key_index = {3}, .value = AnyValue::Reference({4})},
                       {.key = "host.name", .key_index = {}, .value = AnyValue::String("a")}});
  const model::Slice array =
      AddNodes(batch, {{.key = {}, .key_index = {}, .value = AnyValue::Int(1)}});
  const model::Slice list =
      AddNodes(batch, {{.key = "a", .key_index = {}, .value = AnyValue::Array(array)},
                       {.key = "b", .key_index = {}, .value = AnyValue::Bool(true)}});
  const model::Slice scope_attributes = AddNodes(
      batch, {{.key = "tool.mode", .key_index = {}, .value = AnyValue::KeyValueList(list)}});
  batch->resources = {{.present = true,
                       .attributes = resource_attributes,
                       .dropped_attributes_count = 0,
                       .entity_refs = {.begin = 0, .count = 1},
                       .schema_url = "https://opentelemetry.io/schemas/1.37.0",
                       .scopes = {.begin = 0, .count = 1}}};
  batch->scopes = {{{.present = true,
                     .name = "profiler",
                     .version = "1",
                     .attributes = scope_attributes,
                     .dropped_attributes_count = 0,
                     .schema_url = {}},
                    {.begin = 0, .count = 1}}};
  model::Profile profile;
  profile.sample_type = {.type = {1}, .unit = {2}};
  profile.period_type = {.type = {1}, .unit = {2}};
  profile.period = 10'000'000;
  profile.time_unix_nano = kCleanTime;
  profile.duration_nano = kCleanDuration;
  profile.profile_id = "fedcba9876543210";
  batch->profiles = {profile};
}

}  // namespace

model::Batch CleanBatch() {
  model::Batch batch;
  AddTables(&batch);
  AddTree(&batch);
  const model::AttributeIndex thread = AddAttribute(&batch, "thread.id", AnyValue::Int(7));
  AddToList(&batch, &AddSample(&batch, {1}, {1}).attributes, thread);
  AddSample(&batch, {2}, {0});
  return batch;
}

model::StringIndex AddString(model::Batch* batch, std::string_view text) {
  batch->dictionary.strings.push_back(text);
  return {static_cast<uint32_t>(batch->dictionary.strings.size() - 1)};
}

model::AttributeIndex AddAttribute(model::Batch* batch, std::string_view key,
                                   const AnyValue& value) {
  model::Dictionary& tables = batch->dictionary;
  for (uint32_t i = 0; i < tables.strings.size(); ++i) {
    if (tables.strings[i] == key) {
      tables.attributes.push_back({.key = {i}, .unit = {}, .value = value});
      return {static_cast<uint32_t>(tables.attributes.size() - 1)};
    }
  }
  tables.attributes.push_back({.key = AddString(batch, key), .unit = {}, .value = value});
  return {static_cast<uint32_t>(tables.attributes.size() - 1)};
}

void AddToList(model::Batch* batch, model::Slice* list, model::AttributeIndex attribute) {
  std::vector<model::AttributeIndex>& pool = batch->dictionary.attribute_indices;
  if (list->empty())
    list->begin = static_cast<uint32_t>(pool.size());
  pool.push_back(attribute);
  ++list->count;
}

void AddLine(model::Batch* batch, const model::Line& line) {
  batch->dictionary.lines.push_back(line);
  ++batch->dictionary.locations.back().lines.count;
}

void AddFrame(model::Batch* batch, model::LocationIndex location) {
  batch->dictionary.location_indices.push_back(location);
  ++batch->dictionary.stacks.back().locations.count;
}

model::Sample& AddSample(model::Batch* batch, model::StackIndex stack, model::LinkIndex link) {
  model::Sample sample;
  sample.stack = stack;
  sample.link = link;
  sample.values = {.begin = static_cast<uint32_t>(batch->values.size()), .count = 1};
  sample.timestamps = {.begin = static_cast<uint32_t>(batch->timestamps.size()), .count = 1};
  batch->timestamps.push_back(kCleanTime + batch->values.size());
  batch->values.push_back(5);
  batch->samples.push_back(sample);
  ++batch->profiles.back().samples.count;
  return batch->samples.back();
}

model::Slice AddNodes(model::Batch* batch, const std::vector<model::KeyValue>& nodes) {
  std::vector<model::KeyValue>& pool = batch->dictionary.nodes;
  const model::Slice slice = {.begin = static_cast<uint32_t>(pool.size()),
                              .count = static_cast<uint32_t>(nodes.size())};
  pool.insert(pool.end(), nodes.begin(), nodes.end());
  return slice;
}

std::string Encode(const model::Batch& batch) {
  codec::wire::ReverseWriter out(codec::otlp::EstimateProtobufBytes(batch));
  codec::otlp::EncodeProtobuf(batch, &out);
  return std::string(out.view());
}

}  // namespace flarestack::check::testing
