// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/profiles/json_writer.h"

#include <span>
#include <vector>

#include "codec/otlp/json/json_output.h"
#include "codec/otlp/json/json_resource.h"
#include "codec/otlp/json/json_value_writer.h"

namespace flarestack::codec::otlp {
namespace {

using model::In;
using model::Slice;

class MessageWriter {
 public:
  MessageWriter(const model::Batch& batch, WriteBytes write)
      : batch_(batch),
        tables_(batch.dictionary),
        values_{.nodes = batch.dictionary.nodes},
        out_(write) {}

  absl::Status Write();

 private:
  void Write(const model::Resource& resource);
  void Write(const model::Scope& scope);
  void Write(const model::Profile& profile);
  void WriteType(std::string_view name, const model::ValueType& type);
  void Write(const model::Sample& sample);

  void WriteDictionary();
  void Write(const model::Mapping& mapping);
  void Write(const model::Location& location);
  void Write(const model::Line& line);
  void Write(const model::Function& function);
  void Write(const model::Link& link);
  void Write(const model::Attribute& attribute);
  void Write(const model::Stack& stack);
  void Write(std::string_view text) { out_.String(text); }
  void Write(int64_t number) { out_.Integer(number); }
  void Write(uint64_t number) { out_.Integer(number); }
  template <typename Tag>
  void Write(model::Index<Tag> index) {
    out_.Index(index);
  }

  // Writes a repeated field; omits it if empty.
  template <typename T>
  void WriteList(std::string_view name, std::span<const T> items) {
    if (items.empty()) {
      return;
    }
    out_.Name(name);
    out_.BeginArray();
    for (const T& item : items) {
      if (!out_.ok()) {
        return;
      }
      Write(item);
    }
    out_.EndArray();
  }
  template <typename T>
  void WriteTable(std::string_view name, const std::vector<T>& table) {
    WriteList(name, std::span<const T>(table));
  }

  const model::Batch& batch_;
  const model::Dictionary& tables_;
  JsonValues values_;
  JsonOutput out_;
};

absl::Status MessageWriter::Write() {
  out_.BeginObject();
  WriteTable("resourceProfiles", batch_.resources);
  out_.Name("dictionary");
  WriteDictionary();
  out_.EndObject();
  return out_.Finish();
}

void MessageWriter::Write(const model::Resource& resource) {
  out_.BeginObject();
  WriteJsonResource(values_, {.refs = batch_.entity_refs, .keys = batch_.entity_keys}, resource,
                    &out_);
  WriteList("scopeProfiles", In(batch_.scopes, resource.scopes));
  out_.StringField("schemaUrl", resource.schema_url);
  out_.EndObject();
}

void MessageWriter::Write(const model::Scope& scope) {
  out_.BeginObject();
  WriteJsonScope(values_, scope, &out_);
  WriteList("profiles", In(batch_.profiles, scope.profiles));
  out_.StringField("schemaUrl", scope.schema_url);
  out_.EndObject();
}

void MessageWriter::Write(const model::Profile& profile) {
  out_.BeginObject();
  WriteType("sampleType", profile.sample_type);
  WriteList("samples", In(batch_.samples, profile.samples));
  out_.IntegerField("timeUnixNano", profile.time_unix_nano);
  out_.IntegerField("durationNano", profile.duration_nano);
  WriteType("periodType", profile.period_type);
  out_.IntegerField("period", profile.period);
  out_.HexField("profileId", profile.profile_id);
  out_.NumberField("droppedAttributesCount", profile.dropped_attributes_count);
  out_.StringField("originalPayloadFormat", profile.original_payload_format);
  out_.Base64Field("originalPayload", profile.original_payload);
  WriteList("attributeIndices", In(tables_.attribute_indices, profile.attributes));
  out_.EndObject();
}

void MessageWriter::WriteType(std::string_view name, const model::ValueType& type) {
  if (type == model::ValueType{}) {
    return;
  }
  out_.Name(name);
  out_.BeginObject();
  out_.IndexField("typeStrindex", type.type);
  out_.IndexField("unitStrindex", type.unit);
  out_.EndObject();
}

void MessageWriter::Write(const model::Sample& sample) {
  out_.BeginObject();
  out_.IndexField("stackIndex", sample.stack);
  WriteList("attributeIndices", In(tables_.attribute_indices, sample.attributes));
  out_.IndexField("linkIndex", sample.link);
  WriteList("values", In(batch_.values, sample.values));
  WriteList("timestampsUnixNano", In(batch_.timestamps, sample.timestamps));
  out_.EndObject();
}

void MessageWriter::WriteDictionary() {
  out_.BeginObject();
  WriteTable("mappingTable", tables_.mappings);
  WriteTable("locationTable", tables_.locations);
  WriteTable("functionTable", tables_.functions);
  WriteTable("linkTable", tables_.links);
  WriteTable("stringTable", tables_.strings);
  WriteTable("attributeTable", tables_.attributes);
  WriteTable("stackTable", tables_.stacks);
  out_.EndObject();
}

void MessageWriter::Write(const model::Mapping& mapping) {
  out_.BeginObject();
  out_.IntegerField("memoryStart", mapping.memory_start);
  out_.IntegerField("memoryLimit", mapping.memory_limit);
  out_.IntegerField("fileOffset", mapping.file_offset);
  out_.IndexField("filenameStrindex", mapping.filename);
  WriteList("attributeIndices", In(tables_.attribute_indices, mapping.attributes));
  out_.EndObject();
}

void MessageWriter::Write(const model::Location& location) {
  out_.BeginObject();
  out_.IndexField("mappingIndex", location.mapping);
  out_.IntegerField("address", location.address);
  WriteList("lines", In(tables_.lines, location.lines));
  WriteList("attributeIndices", In(tables_.attribute_indices, location.attributes));
  out_.EndObject();
}

void MessageWriter::Write(const model::Line& line) {
  out_.BeginObject();
  out_.IndexField("functionIndex", line.function);
  out_.IntegerField("line", line.line);
  out_.IntegerField("column", line.column);
  out_.EndObject();
}

void MessageWriter::Write(const model::Function& function) {
  out_.BeginObject();
  out_.IndexField("nameStrindex", function.name);
  out_.IndexField("systemNameStrindex", function.system_name);
  out_.IndexField("filenameStrindex", function.filename);
  out_.IntegerField("startLine", function.start_line);
  out_.EndObject();
}

void MessageWriter::Write(const model::Link& link) {
  out_.BeginObject();
  out_.HexField("traceId", link.trace_id);
  out_.HexField("spanId", link.span_id);
  out_.EndObject();
}

void MessageWriter::Write(const model::Attribute& attribute) {
  out_.BeginObject();
  out_.IndexField("keyStrindex", attribute.key);
  if (attribute.value.kind != model::AnyValue::Kind::kEmpty) {
    out_.Name("value");
    WriteJsonValue(values_, attribute.value, &out_);
  }
  out_.IndexField("unitStrindex", attribute.unit);
  out_.EndObject();
}

void MessageWriter::Write(const model::Stack& stack) {
  out_.BeginObject();
  WriteList("locationIndices", In(tables_.location_indices, stack.locations));
  out_.EndObject();
}

}  // namespace

absl::Status EncodeJson(const model::Batch& batch, WriteBytes write) {
  return MessageWriter(batch, write).Write();
}

}  // namespace flarestack::codec::otlp
