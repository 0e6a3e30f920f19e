// SPDX-License-Identifier: Apache-2.0
//
// Brings entries of the stored dictionary into one of a message, each once. Lives for one answer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "model/dictionary_builder.h"
#include "store/chunk.h"
#include "store/rocks/database.h"
#include "store/rocks/keys.h"
#include "store/rocks/record_reader.h"

namespace flarestack::store::rocks {

class DictionaryLoader {
 public:
  DictionaryLoader(const Database& database, model::DictionaryBuilder* to)
      : to_(*to),
        strings_(database, Table::kString),
        functions_(database, Table::kFunction),
        mappings_(database, Table::kMapping),
        locations_(database, Table::kLocation),
        attributes_(database, Table::kAttribute),
        stacks_(database, Table::kStack) {}

  absl::StatusOr<model::StackIndex> Stack(uint32_t number);
  absl::StatusOr<std::vector<model::AttributeIndex>> Attributes(const ChunkAttributes& numbers);

 private:
  struct Entries {
    Entries(const Database& database, Table table) : records(database, table) {}

    RecordReader records;
    absl::flat_hash_map<uint32_t, uint32_t> known;  // index by number
  };

  absl::StatusOr<model::StringIndex> String(uint32_t number);
  absl::StatusOr<model::FunctionIndex> Function(uint32_t number);
  absl::StatusOr<model::MappingIndex> Mapping(uint32_t number);
  absl::StatusOr<model::LocationIndex> Location(uint32_t number);
  absl::StatusOr<model::AttributeIndex> Attribute(uint32_t number);
  absl::StatusOr<std::vector<model::AttributeIndex>> Attributes(std::span<const uint32_t> numbers);

  model::DictionaryBuilder& to_;
  Entries strings_;
  Entries functions_;
  Entries mappings_;
  Entries locations_;
  Entries attributes_;
  Entries stacks_;
  std::vector<uint32_t> numbers_of_stack_;   // scratch
  std::vector<model::LocationIndex> stack_;  // scratch
};

}  // namespace flarestack::store::rocks
