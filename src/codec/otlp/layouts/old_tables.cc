// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/layouts/old_tables.h"

#include <algorithm>
#include <array>

#include "base/status.h"
#include "base/text/text.h"
#include "codec/otlp/profiles/protobuf_decoder.h"

namespace flarestack::codec::otlp {

using base::StrCat;
using model::AnyValue;
using wire::kBytes;
using wire::kVarint;
using wire::Reader;
using wire::Tag;

namespace {

constexpr std::array<std::string_view, 4> kFlagKeys = {
    "pprof.mapping.has_functions", "pprof.mapping.has_filenames", "pprof.mapping.has_line_numbers",
    "pprof.mapping.has_inline_frames"};

absl::Status OutOfRange(uint32_t index, size_t size, std::string_view path,
                        std::string_view table) {
  return absl::InvalidArgumentError(StrCat(path, ": ", static_cast<int32_t>(index), ", but the ",
                                           table, " has ", size, " entries"));
}

// References into a string table were added in 1.10; here they can only be noise.
void DropReferences(model::KeyValue* attribute, model::Dictionary* dictionary) {
  const auto drop = [](model::KeyValue& node) {
    node.key_index = {};
    if (node.value.kind == AnyValue::Kind::kStringIndex)
      node.value = {};
  };
  drop(*attribute);
  for (model::KeyValue& node : dictionary->nodes)
    drop(node);
}

void AppendNumbers(Reader& in, std::vector<uint32_t>* out) {
  if (in.type() == kVarint) {
    out->push_back(static_cast<uint32_t>(in.Varint()));
    return;
  }
  for (Reader packed = in.Message(); !packed.rest().empty();) {
    out->push_back(static_cast<uint32_t>(packed.Varint()));
  }
}

model::Line DecodeLine(Reader in) {
  model::Line line;
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        line.function = {static_cast<uint32_t>(in.Varint())};
        break;
      case Tag(2, kVarint):
        line.line = in.Int64();
        break;
      case Tag(3, kVarint):
        line.column = in.Int64();
        break;
      default:
        in.Skip();
    }
  }
  return line;
}

model::Function DecodeFunction(Reader in) {
  model::Function function;
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        function.name = {static_cast<uint32_t>(in.Varint())};
        break;
      case Tag(2, kVarint):
        function.system_name = {static_cast<uint32_t>(in.Varint())};
        break;
      case Tag(3, kVarint):
        function.filename = {static_cast<uint32_t>(in.Varint())};
        break;
      case Tag(4, kVarint):
        function.start_line = in.Int64();
        break;
      default:
        in.Skip();
    }
  }
  return function;
}

model::Link DecodeLink(Reader in) {
  model::Link link;
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kBytes):
        link.trace_id = in.Bytes();
        break;
      case Tag(2, kBytes):
        link.span_id = in.Bytes();
        break;
      default:
        in.Skip();
    }
  }
  return link;
}

}  // namespace

OldMapping OldTables::DecodeMapping(Reader in) {
  OldMapping mapping;
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        mapping.fields.memory_start = in.Varint();
        break;
      case Tag(2, kVarint):
        mapping.fields.memory_limit = in.Varint();
        break;
      case Tag(3, kVarint):
        mapping.fields.file_offset = in.Varint();
        break;
      case Tag(4, kVarint):
        mapping.fields.filename = {static_cast<uint32_t>(in.Varint())};
        break;
      case Tag(5, kBytes):
      case Tag(5, kVarint):
        AppendNumbers(in, &mapping.attributes);
        break;
      case Tag(6, kVarint):
      case Tag(7, kVarint):
      case Tag(8, kVarint):
      case Tag(9, kVarint): {
        bool& flag = mapping.flags[in.field() - 6];
        flag = in.Bool();
        break;
      }
      default:
        in.Skip();
    }
  }
  return mapping;
}

OldLocation OldTables::DecodeLocation(Reader in) {
  OldLocation location;
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        location.mapping = static_cast<uint32_t>(in.Varint());
        break;
      case Tag(2, kVarint):
        location.address = in.Varint();
        break;
      case Tag(3, kBytes):
        location.lines.push_back(DecodeLine(in.Message()));
        break;
      case Tag(4, kVarint):
        location.is_folded = in.Bool();
        break;
      case Tag(5, kBytes):
      case Tag(5, kVarint):
        AppendNumbers(in, &location.attributes);
        break;
      default:
        in.Skip();
    }
  }
  return location;
}

void OldTables::DecodeUnit(Reader in) {
  uint32_t key = 0;
  uint32_t unit = 0;
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        key = static_cast<uint32_t>(in.Varint());
        break;
      case Tag(2, kVarint):
        unit = static_cast<uint32_t>(in.Varint());
        break;
      default:
        in.Skip();
    }
  }
  units[key] = unit;
}

void DecodeOldEntry(OldTable table, uint32_t entries_max, Reader& in, OldTables* tables) {
  const size_t largest =
      std::max({tables->mappings.size(), tables->locations.size(), tables->functions.size(),
                tables->links.size(), tables->strings.size(), tables->attributes.size()});
  if (largest >= entries_max) {
    in.Fail("more table entries than the limit allows");
    return;
  }
  switch (table) {
    case OldTable::kMapping:
      tables->mappings.push_back(tables->DecodeMapping(in.Message()));
      return;
    case OldTable::kLocation:
      tables->locations.push_back(tables->DecodeLocation(in.Message()));
      return;
    case OldTable::kFunction:
      tables->functions.push_back(DecodeFunction(in.Message()));
      return;
    case OldTable::kLink:
      tables->links.push_back(DecodeLink(in.Message()));
      return;
    case OldTable::kString:
      tables->strings.push_back(in.Bytes());
      return;
    case OldTable::kAttribute:
      tables->attributes.push_back(in.Bytes());
      return;
    case OldTable::kAttributeUnit:
      tables->DecodeUnit(in.Message());
      return;
  }
}

OldTableMapper::OldTableMapper(const OldTables& tables, model::BatchBuilder* builder)
    : tables_(tables), dictionary_(builder->dictionary()), locations_(tables.locations.size()) {
  for (const auto& [key, unit] : tables.units) {
    if (key < tables.strings.size() && unit < tables.strings.size()) {
      unit_of_key_[tables.strings[key]] = tables.strings[unit];
    }
  }
}

absl::StatusOr<model::StringIndex> OldTableMapper::String(uint32_t index, std::string_view path) {
  if (index == 0 && tables_.strings.empty())
    return model::StringIndex{};
  if (index >= tables_.strings.size())
    return OutOfRange(index, tables_.strings.size(), path, "string_table");
  return dictionary_.String(tables_.strings[index]);
}

absl::StatusOr<model::LinkIndex> OldTableMapper::Link(uint32_t index, std::string_view path) {
  if (index >= tables_.links.size())
    return OutOfRange(index, tables_.links.size(), path, "link_table");
  return dictionary_.Link(tables_.links[index]);
}

absl::StatusOr<model::FunctionIndex> OldTableMapper::Function(uint32_t index,
                                                              std::string_view path) {
  if (index >= tables_.functions.size())
    return OutOfRange(index, tables_.functions.size(), path, "function_table");
  const model::Function& old = tables_.functions[index];
  const std::string at = StrCat("function_table[", index, "]");
  model::Function function = {
      .name = {}, .system_name = {}, .filename = {}, .start_line = old.start_line};
  FLARE_ASSIGN(function.name, String(old.name.value, at));
  FLARE_ASSIGN(function.system_name, String(old.system_name.value, at));
  FLARE_ASSIGN(function.filename, String(old.filename.value, at));
  return dictionary_.Function(function);
}

absl::StatusOr<model::AttributeIndex> OldTableMapper::Attribute(uint32_t index,
                                                                std::string_view path) {
  if (index >= tables_.attributes.size())
    return OutOfRange(index, tables_.attributes.size(), path, "attribute_table");
  const std::string_view entry = tables_.attributes[index];
  const Limits limits;
  scratch_.Clear();
  ProtobufDecoder decoder(Layout::k110, limits, &scratch_);
  model::KeyValue attribute;
  decoder.DecodeKeyValue(entry, 0, &attribute);
  if (decoder.fault().is_set() || decoder.limit_reached() != nullptr) {
    return absl::InvalidArgumentError(
        StrCat("attribute_table[", index, "]: malformed or nested too deep"));
  }
  DropReferences(&attribute, &scratch_.dictionary);
  const auto unit = unit_of_key_.find(attribute.key);
  return dictionary_.Attribute(
      dictionary_.String(attribute.key),
      dictionary_.String(unit == unit_of_key_.end() ? std::string_view() : unit->second),
      scratch_.dictionary, attribute.value);
}

absl::StatusOr<std::vector<model::AttributeIndex>> OldTableMapper::Attributes(
    const std::vector<uint32_t>& indices, std::string_view path) {
  std::vector<model::AttributeIndex> attributes;
  for (size_t i = 0; i < indices.size(); ++i) {
    FLARE_ASSIGN(const model::AttributeIndex attribute,
                 Attribute(indices[i], StrCat(path, ".attribute_indices[", i, "]")));
    attributes.push_back(attribute);
  }
  return attributes;
}

absl::StatusOr<model::MappingIndex> OldTableMapper::Mapping(uint32_t index, std::string_view path) {
  if (index >= tables_.mappings.size())
    return OutOfRange(index, tables_.mappings.size(), path, "mapping_table");
  const OldMapping& old = tables_.mappings[index];
  const std::string at = StrCat("mapping_table[", index, "]");
  model::Mapping mapping = old.fields;
  FLARE_ASSIGN(mapping.filename, String(old.fields.filename.value, at));
  FLARE_ASSIGN(std::vector<model::AttributeIndex> attributes, Attributes(old.attributes, at));
  for (size_t i = 0; i < kFlagKeys.size(); ++i) {
    if (old.flags[i])
      attributes.push_back(dictionary_.Attribute(kFlagKeys[i], AnyValue::Bool(true)));
  }
  return dictionary_.Mapping(mapping, attributes);
}

absl::StatusOr<model::LocationIndex> OldTableMapper::Location(uint32_t index,
                                                              std::string_view path) {
  if (index >= tables_.locations.size())
    return OutOfRange(index, tables_.locations.size(), path, "location_table");
  if (locations_[index].has_value())
    return *locations_[index];
  const OldLocation& old = tables_.locations[index];
  const std::string at = StrCat("location_table[", index, "]");
  model::Location location = {.mapping = {}, .address = old.address, .lines = {}, .attributes = {}};
  if (old.mapping.has_value()) {
    FLARE_ASSIGN(location.mapping, Mapping(*old.mapping, at));
  }
  std::vector<model::Line> lines = old.lines;
  for (model::Line& line : lines) {
    FLARE_ASSIGN(line.function, Function(line.function.value, at));
  }
  FLARE_ASSIGN(std::vector<model::AttributeIndex> attributes, Attributes(old.attributes, at));
  if (old.is_folded) {
    attributes.push_back(dictionary_.Attribute("pprof.location.is_folded", AnyValue::Bool(true)));
  }
  locations_[index] = dictionary_.Location(location, lines, attributes);
  return *locations_[index];
}

}  // namespace flarestack::codec::otlp
