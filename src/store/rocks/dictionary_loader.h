// SPDX-License-Identifier: Apache-2.0
//
// Brings entries of the stored dictionary into one of a message, each once. Lives for one answer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "model/dictionary_builder.h"
#include "store/chunk.h"
#include "store/rocks/database.h"
#include "store/rocks/keys.h"

namespace flarestack::store::rocks {

class DictionaryLoader {
 public:
  DictionaryLoader(const Database& database, model::DictionaryBuilder* to)
      : database_(database), to_(*to) {}

  absl::StatusOr<model::StackIndex> Stack(uint32_t number);
  absl::StatusOr<std::vector<model::AttributeIndex>> Attributes(const ChunkAttributes& numbers);

 private:
  using Known = absl::flat_hash_map<uint32_t, uint32_t>;  // index by number

  // The record without the day before it; kDataLoss when there is none.
  absl::StatusOr<std::string> Record(Table table, uint32_t number) const;

  absl::StatusOr<model::StringIndex> String(uint32_t number);
  absl::StatusOr<model::FunctionIndex> Function(uint32_t number);
  absl::StatusOr<model::MappingIndex> Mapping(uint32_t number);
  absl::StatusOr<model::LocationIndex> Location(uint32_t number);
  absl::StatusOr<model::AttributeIndex> Attribute(uint32_t number);
  absl::StatusOr<std::vector<model::AttributeIndex>> Attributes(std::span<const uint32_t> numbers);

  const Database& database_;
  model::DictionaryBuilder& to_;
  Known strings_;
  Known functions_;
  Known mappings_;
  Known locations_;
  Known attributes_;
  Known stacks_;
};

}  // namespace flarestack::store::rocks
