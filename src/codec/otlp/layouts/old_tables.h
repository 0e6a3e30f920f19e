// SPDX-License-Identifier: Apache-2.0
//
// The wire tables of layouts up to 1.7, and their translation into a dictionary under construction.
// They differ from the current tables in more than numbers: entry 0 is an ordinary entry, an
// omitted field means "no mapping", and units belong to attribute keys. Private to codec/otlp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "codec/wire/reader.h"
#include "model/batch.h"
#include "model/builder/batch_builder.h"

namespace flarestack::codec::otlp {

struct OldMapping {
  model::Mapping fields;  // filename is an old string index
  std::vector<uint32_t> attributes;
  bool flags[4] = {};  // has_functions, has_filenames, has_line_numbers, has_inline_frames
};

struct OldLocation {
  std::optional<uint32_t> mapping;
  uint64_t address = 0;
  std::vector<model::Line> lines;
  bool is_folded = false;
  std::vector<uint32_t> attributes;
};

struct OldTables {
  std::vector<OldMapping> mappings;
  std::vector<OldLocation> locations;
  std::vector<model::Function> functions;  // old string indices
  std::vector<model::Link> links;
  std::vector<std::string_view> strings;
  std::vector<std::string_view> attributes;       // encoded common.KeyValue messages
  absl::flat_hash_map<uint32_t, uint32_t> units;  // attribute key string to unit string

  OldMapping DecodeMapping(wire::Reader in);
  OldLocation DecodeLocation(wire::Reader in);
  void DecodeUnit(wire::Reader in);
};

enum class OldTable { kMapping, kLocation, kFunction, kLink, kString, kAttribute, kAttributeUnit };

// Decodes one table entry. Beyond `entries_max`, sets a fault and stores nothing.
void DecodeOldEntry(OldTable table, uint32_t entries_max, wire::Reader& in, OldTables* tables);

// Translates entries on demand, each once.
class OldTableMapper {
 public:
  OldTableMapper(const OldTables& tables, model::BatchBuilder* builder);

  absl::StatusOr<model::StringIndex> String(uint32_t index, std::string_view path);
  absl::StatusOr<model::LocationIndex> Location(uint32_t index, std::string_view path);
  absl::StatusOr<model::LinkIndex> Link(uint32_t index, std::string_view path);
  absl::StatusOr<std::vector<model::AttributeIndex>> Attributes(
      const std::vector<uint32_t>& indices, std::string_view path);

 private:
  absl::StatusOr<model::FunctionIndex> Function(uint32_t index, std::string_view path);
  absl::StatusOr<model::MappingIndex> Mapping(uint32_t index, std::string_view path);
  absl::StatusOr<model::AttributeIndex> Attribute(uint32_t index, std::string_view path);

  const OldTables& tables_;
  model::DictionaryBuilder& dictionary_;
  std::vector<std::optional<model::LocationIndex>> locations_;
  absl::flat_hash_map<std::string_view, std::string_view> unit_of_key_;
  model::Batch scratch_;  // buffer for decoding attribute values
};

}  // namespace flarestack::codec::otlp
