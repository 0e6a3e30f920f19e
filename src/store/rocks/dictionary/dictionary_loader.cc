// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/dictionary/dictionary_loader.h"

#include "base/status.h"
#include "store/rocks/dictionary/records.h"

namespace flarestack::store::rocks {
namespace {

// Number 0 is the empty entry of each table.
template <typename Index, typename Load>
absl::StatusOr<Index> Once(RecordReader* records, NumberTable* known, uint32_t number, Load load) {
  if (number == 0)
    return Index{};
  if (const uint32_t index = known->Find(number); index != NumberTable::kNone)
    return Index{index};
  FLARE_ASSIGN(const std::string_view bytes, records->Read(number));
  FLARE_ASSIGN(const Index index, load(bytes));
  known->Add(number, index.value);
  return index;
}

}  // namespace

void DictionaryLoader::ContinueFrom(const std::shared_ptr<const LoadedDictionary>& before) {
  to_.ContinueFrom(before->builder, before);
  known_ = before->known;
}

uint64_t DictionaryLoader::LoadedBytes() const {
  return rocks::LoadedBytes(to_.dictionary(), known_);
}

std::shared_ptr<const LoadedDictionary> DictionaryLoader::Loaded() const {
  auto loaded = std::make_shared<LoadedDictionary>();
  loaded->builder.ContinueFrom(to_, nullptr);
  loaded->builder.CopyText();
  loaded->known = known_;
  return loaded;
}

absl::StatusOr<model::StringIndex> DictionaryLoader::String(uint32_t number) {
  return Once<model::StringIndex>(
      &strings_, &known_.strings, number,
      [&](std::string_view bytes) -> absl::StatusOr<model::StringIndex> {
        return to_.String(bytes);
      });
}

absl::StatusOr<model::FunctionIndex> DictionaryLoader::Function(uint32_t number) {
  return Once<model::FunctionIndex>(
      &functions_, &known_.functions, number,
      [&](std::string_view bytes) -> absl::StatusOr<model::FunctionIndex> {
        model::Function function;
        FLARE_RETURN_IF_ERROR(DecodeFunction(bytes, &function));
        FLARE_ASSIGN(function.name, String(function.name.value));
        FLARE_ASSIGN(function.system_name, String(function.system_name.value));
        FLARE_ASSIGN(function.filename, String(function.filename.value));
        return to_.Function(function);
      });
}

absl::StatusOr<std::vector<model::AttributeIndex>> DictionaryLoader::Attributes(
    std::span<const uint32_t> numbers) {
  std::vector<model::AttributeIndex> indices;
  indices.reserve(numbers.size());
  for (const uint32_t number : numbers) {
    FLARE_ASSIGN(const model::AttributeIndex index, Attribute(number));
    indices.push_back(index);
  }
  return indices;
}

absl::StatusOr<model::AttributeIndex> DictionaryLoader::Attribute(uint32_t number) {
  return Once<model::AttributeIndex>(
      &attributes_, &known_.attributes, number,
      [&](std::string_view bytes) -> absl::StatusOr<model::AttributeIndex> {
        model::Dictionary values;  // holds the nodes of the value
        AttributeRecord record;
        FLARE_RETURN_IF_ERROR(DecodeAttribute(bytes, &values.nodes, &record));
        FLARE_ASSIGN(const model::StringIndex key, String(record.key));
        FLARE_ASSIGN(const model::StringIndex unit, String(record.unit));
        return to_.Attribute(key, unit, values, record.value);
      });
}

absl::StatusOr<model::MappingIndex> DictionaryLoader::Mapping(uint32_t number) {
  return Once<model::MappingIndex>(
      &mappings_, &known_.mappings, number,
      [&](std::string_view bytes) -> absl::StatusOr<model::MappingIndex> {
        MappingRecord record;
        FLARE_RETURN_IF_ERROR(DecodeMapping(bytes, &record));
        FLARE_ASSIGN(record.mapping.filename, String(record.mapping.filename.value));
        FLARE_ASSIGN(const auto attributes, Attributes(record.attributes));
        return to_.Mapping(record.mapping, attributes);
      });
}

absl::StatusOr<model::LocationIndex> DictionaryLoader::Location(uint32_t number) {
  return Once<model::LocationIndex>(
      &locations_, &known_.locations, number,
      [&](std::string_view bytes) -> absl::StatusOr<model::LocationIndex> {
        LocationRecord record;
        FLARE_RETURN_IF_ERROR(DecodeLocation(bytes, &record));
        FLARE_ASSIGN(record.location.mapping, Mapping(record.location.mapping.value));
        for (model::Line& line : record.lines) {
          FLARE_ASSIGN(line.function, Function(line.function.value));
        }
        FLARE_ASSIGN(const auto attributes, Attributes(record.attributes));
        return to_.Location(record.location, record.lines, attributes);
      });
}

absl::StatusOr<model::StackIndex> DictionaryLoader::Stack(uint32_t number) {
  return Once<model::StackIndex>(&stacks_, &known_.stacks, number,
                                 [&](std::string_view bytes) { return ReadStack(bytes); });
}

absl::StatusOr<model::StackIndex> DictionaryLoader::ReadStack(std::string_view bytes) {
  FLARE_RETURN_IF_ERROR(DecodeNumbers(bytes, &numbers_of_stack_));
  stack_.clear();
  stack_.reserve(numbers_of_stack_.size());
  for (const uint32_t location : numbers_of_stack_) {
    // Most locations are already loaded; each of thousands of stacks has tens of them.
    model::LocationIndex index = {known_.locations.Find(location)};
    if (index.value == NumberTable::kNone) {
      FLARE_ASSIGN(index, Location(location));
    }
    stack_.push_back(index);
  }
  return to_.Stack(stack_);
}

absl::StatusOr<std::vector<model::AttributeIndex>> DictionaryLoader::Attributes(
    const ChunkAttributes& numbers) {
  std::vector<uint32_t> plain;
  plain.reserve(numbers.size());
  for (const ChunkAttribute& entry : numbers)
    plain.push_back(entry.attribute);
  return Attributes(std::span<const uint32_t>(plain));
}

}  // namespace flarestack::store::rocks
