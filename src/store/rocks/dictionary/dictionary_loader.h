// SPDX-License-Identifier: Apache-2.0
//
// Loads entries of the stored dictionary into a message's dictionary, each once. Lives for one
// query, and may continue from the dictionary of an earlier one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "model/builder/dictionary_builder.h"
#include "store/chunk/chunk.h"
#include "store/rocks/cache/loaded_dictionary.h"
#include "store/rocks/database/database.h"
#include "store/rocks/database/keys.h"
#include "store/rocks/dictionary/record_reader.h"

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

  // Replaces everything loaded so far.
  void ContinueFrom(const std::shared_ptr<const LoadedDictionary>& before);

  // The size of the result of Loaded().
  uint64_t LoadedBytes() const;

  // All entries loaded so far, including those it continued from.
  std::shared_ptr<const LoadedDictionary> Loaded() const;

  absl::StatusOr<model::StackIndex> Stack(uint32_t number);
  absl::StatusOr<std::vector<model::AttributeIndex>> Attributes(const ChunkAttributes& numbers);

 private:
  absl::StatusOr<model::StringIndex> String(uint32_t number);
  absl::StatusOr<model::FunctionIndex> Function(uint32_t number);
  absl::StatusOr<model::MappingIndex> Mapping(uint32_t number);
  absl::StatusOr<model::LocationIndex> Location(uint32_t number);
  absl::StatusOr<model::StackIndex> ReadStack(std::string_view bytes);
  absl::StatusOr<model::AttributeIndex> Attribute(uint32_t number);
  absl::StatusOr<std::vector<model::AttributeIndex>> Attributes(std::span<const uint32_t> numbers);

  model::DictionaryBuilder& to_;
  RecordReader strings_;
  RecordReader functions_;
  RecordReader mappings_;
  RecordReader locations_;
  RecordReader attributes_;
  RecordReader stacks_;
  KnownNumbers known_;
  std::vector<uint32_t> numbers_of_stack_;   // scratch
  std::vector<model::LocationIndex> stack_;  // scratch
};

}  // namespace flarestack::store::rocks
