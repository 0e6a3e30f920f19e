// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/profiles/json_dictionary_reader.h"

#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::codec::otlp {

using model::Slice;
using Value = JsonInput::Value;

absl::Status OldLayoutError(const JsonInput& in, std::string_view message) {
  return absl::InvalidArgumentError(base::StrCat(
      "OTLP/JSON of version 1.7 or older (", message, ".", in.last_name(), " at ", in.Path(),
      "); JSON is supported from version 1.8 on, older versions only in protobuf"));
}

absl::Status JsonDictionaryReader::Read(Value& value) {
  const auto reject = [&](Value&) { return OldLayoutError(in_, "dictionary"); };
  return in_.Object(value).Read({
      {"mappingTable",
       [&](Value& table) {
         return ReadTable(table, &out_.mappings,
                          [&](Value& entry, auto* out) { return ReadMapping(entry, out); });
       }},
      {"locationTable",
       [&](Value& table) {
         return ReadTable(table, &out_.locations,
                          [&](Value& entry, auto* out) { return ReadLocation(entry, out); });
       }},
      {"functionTable",
       [&](Value& table) {
         return ReadTable(table, &out_.functions,
                          [&](Value& entry, auto* out) { return ReadFunction(entry, out); });
       }},
      {"linkTable",
       [&](Value& table) {
         return ReadTable(table, &out_.links,
                          [&](Value& entry, auto* out) { return ReadLink(entry, out); });
       }},
      {"stringTable",
       [&](Value& table) {
         return ReadTable(table, &out_.strings,
                          [&](Value& entry, auto* out) { return in_.Read(entry, out); });
       }},
      {"attributeTable",
       [&](Value& table) {
         return ReadTable(table, &out_.attributes,
                          [&](Value& entry, auto* out) { return ReadAttribute(entry, out); });
       }},
      {"stackTable",
       [&](Value& table) {
         return ReadTable(table, &out_.stacks,
                          [&](Value& entry, auto* out) { return ReadStack(entry, out); });
       }},
      {"attributeUnits", reject},
  });
}

template <typename Entry, typename ReadEntry>
absl::Status JsonDictionaryReader::ReadTable(Value& value, std::vector<Entry>* table,
                                             ReadEntry read_entry) {
  return in_.ReadArray(value, [&](Value& element) {
    FLARE_RETURN_IF_ERROR(in_.CheckLimit(table->size(), limits_.table_entries_max,
                                         "entries in one table", MemoryOfEntry<Entry>()));
    Entry entry{};
    FLARE_RETURN_IF_ERROR(read_entry(element, &entry));
    table->push_back(entry);
    return absl::OkStatus();
  });
}

absl::Status JsonDictionaryReader::ReadAttributeIndices(Value& value, Slice* out) {
  return ReadList(value, &out_.attribute_indices, out);
}

absl::Status JsonDictionaryReader::ReadMapping(Value& value, model::Mapping* out) {
  const auto reject = [&](Value&) { return OldLayoutError(in_, "mapping"); };
  return in_.Object(value).Read({
      {"memoryStart", [&](Value& member) { return in_.Read(member, &out->memory_start); }},
      {"memoryLimit", [&](Value& member) { return in_.Read(member, &out->memory_limit); }},
      {"fileOffset", [&](Value& member) { return in_.Read(member, &out->file_offset); }},
      {"filenameStrindex", [&](Value& member) { return in_.Read(member, &out->filename); }},
      {"attributeIndices",
       [&](Value& member) { return ReadAttributeIndices(member, &out->attributes); }},
      {"hasFunctions", reject},
      {"hasFilenames", reject},
      {"hasLineNumbers", reject},
      {"hasInlineFrames", reject},
  });
}

absl::Status JsonDictionaryReader::ReadLocation(Value& value, model::Location* out) {
  const auto reject = [&](Value&) { return OldLayoutError(in_, "location"); };
  const auto read_line = [&](Value& element) {
    FLARE_RETURN_IF_ERROR(in_.CheckLimit(out_.lines.size(), limits_.list_elements_max,
                                         "list elements", MemoryOfEntry<model::Line>()));
    return ReadLine(element, &out_.lines.emplace_back());
  };
  const auto read_lines = [&](Value& member) {
    const auto begin = static_cast<uint32_t>(out_.lines.size());
    FLARE_RETURN_IF_ERROR(in_.ReadArray(member, read_line));
    out->lines = {.begin = begin, .count = static_cast<uint32_t>(out_.lines.size()) - begin};
    return absl::OkStatus();
  };
  return in_.Object(value).Read({
      {"mappingIndex", [&](Value& member) { return in_.Read(member, &out->mapping); }},
      {"address", [&](Value& member) { return in_.Read(member, &out->address); }},
      {"lines", read_lines, /*former_name=*/"line"},
      {"attributeIndices",
       [&](Value& member) { return ReadAttributeIndices(member, &out->attributes); }},
      {"isFolded", reject},
  });
}

absl::Status JsonDictionaryReader::ReadLine(Value& value, model::Line* out) {
  return in_.Object(value).Read({
      {"functionIndex", [&](Value& member) { return in_.Read(member, &out->function); }},
      {"line", [&](Value& member) { return in_.Read(member, &out->line); }},
      {"column", [&](Value& member) { return in_.Read(member, &out->column); }},
  });
}

absl::Status JsonDictionaryReader::ReadFunction(Value& value, model::Function* out) {
  return in_.Object(value).Read({
      {"nameStrindex", [&](Value& member) { return in_.Read(member, &out->name); }},
      {"systemNameStrindex", [&](Value& member) { return in_.Read(member, &out->system_name); }},
      {"filenameStrindex", [&](Value& member) { return in_.Read(member, &out->filename); }},
      {"startLine", [&](Value& member) { return in_.Read(member, &out->start_line); }},
  });
}

absl::Status JsonDictionaryReader::ReadLink(Value& value, model::Link* out) {
  return in_.Object(value).Read({
      {"traceId", [&](Value& member) { return in_.ReadHexId(member, 16, &out->trace_id); }},
      {"spanId", [&](Value& member) { return in_.ReadHexId(member, 8, &out->span_id); }},
  });
}

absl::Status JsonDictionaryReader::ReadAttribute(Value& value, model::Attribute* out) {
  const auto reject = [&](Value&) { return OldLayoutError(in_, "attribute"); };
  return in_.Object(value).Read({
      {"keyStrindex", [&](Value& member) { return in_.Read(member, &out->key); }},
      {"value", [&](Value& member) { return values_.ReadValue(member, &out->value); }},
      {"unitStrindex", [&](Value& member) { return in_.Read(member, &out->unit); }},
      {"key", reject},
  });
}

absl::Status JsonDictionaryReader::ReadStack(Value& value, model::Stack* out) {
  return in_.Object(value).Read({
      {"locationIndices",
       [&](Value& member) { return ReadList(member, &out_.location_indices, &out->locations); }},
  });
}

}  // namespace flarestack::codec::otlp
