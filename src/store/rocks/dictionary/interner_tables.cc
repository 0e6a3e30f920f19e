// SPDX-License-Identifier: Apache-2.0
//
// The table-specific part of the interner: which entries an entry refers to, and how to encode it
// with numbers of the store.
#include <algorithm>

#include "store/rocks/dictionary/interner.h"
#include "store/rocks/dictionary/records.h"

namespace flarestack::store::rocks {

bool Interner::IsNew(Table table, uint32_t number) const {
  return number >= first_new_[NextNumbers::PositionOf(table)];
}

bool Interner::HasNew(model::Slice attributes) const {
  return std::ranges::any_of(model::In(memory_->dictionary.attribute_indices, attributes),
                             [this](model::AttributeIndex index) {
                               return IsNew(Table::kAttribute, memory_->attributes[index.value]);
                             });
}

absl::Status Interner::NumberStrings(Changes* changes) {
  Memory& m = *memory_;
  return NumberTable(
      {.table = Table::kString,
       .entry_count = m.dictionary.strings.size(),
       .numbers = &m.strings,
       .refers_to_new = [](size_t) { return false; },
       .append_record = [&](size_t i, std::string* out) { *out += m.dictionary.strings[i]; }},
      changes);
}

// Sorted, because records are compared and the order of attributes does not matter.
std::vector<uint32_t> Interner::AttributeNumbers(model::Slice slice) const {
  std::vector<uint32_t> numbers;
  for (const model::AttributeIndex index : model::In(memory_->dictionary.attribute_indices, slice))
    numbers.push_back(memory_->attributes[index.value]);
  std::ranges::sort(numbers);
  return numbers;
}

absl::Status Interner::NumberAttributes(Changes* changes) {
  Memory& m = *memory_;
  const auto entry = [&](size_t i) -> const model::Attribute& {
    return m.dictionary.attributes[i];
  };
  return NumberTable({.table = Table::kAttribute,
                      .entry_count = m.dictionary.attributes.size(),
                      .numbers = &m.attributes,
                      .refers_to_new =
                          [&](size_t i) {
                            return IsNew(Table::kString, m.strings[entry(i).key.value]) ||
                                   IsNew(Table::kString, m.strings[entry(i).unit.value]);
                          },
                      .append_record =
                          [&](size_t i, std::string* out) {
                            *out += EncodeAttribute(m.strings[entry(i).key.value],
                                                    m.strings[entry(i).unit.value], m.dictionary,
                                                    entry(i).value);
                          }},
                     changes);
}

absl::Status Interner::NumberMappings(Changes* changes) {
  Memory& m = *memory_;
  const auto entry = [&](size_t i) -> const model::Mapping& { return m.dictionary.mappings[i]; };
  return NumberTable({.table = Table::kMapping,
                      .entry_count = m.dictionary.mappings.size(),
                      .numbers = &m.mappings,
                      .refers_to_new =
                          [&](size_t i) {
                            return IsNew(Table::kString, m.strings[entry(i).filename.value]) ||
                                   HasNew(entry(i).attributes);
                          },
                      .append_record =
                          [&](size_t i, std::string* out) {
                            MappingRecord record = {.mapping = entry(i), .attributes = {}};
                            record.mapping.filename = {m.strings[record.mapping.filename.value]};
                            record.attributes = AttributeNumbers(record.mapping.attributes);
                            *out += EncodeMapping(record);
                          }},
                     changes);
}

absl::Status Interner::NumberFunctions(Changes* changes) {
  Memory& m = *memory_;
  const auto in_numbers = [&](size_t i) {
    model::Function function = m.dictionary.functions[i];
    function.name = {m.strings[function.name.value]};
    function.system_name = {m.strings[function.system_name.value]};
    function.filename = {m.strings[function.filename.value]};
    return function;
  };
  return NumberTable(
      {.table = Table::kFunction,
       .entry_count = m.dictionary.functions.size(),
       .numbers = &m.functions,
       .refers_to_new =
           [&](size_t i) {
             const model::Function function = in_numbers(i);
             return IsNew(Table::kString, function.name.value) ||
                    IsNew(Table::kString, function.system_name.value) ||
                    IsNew(Table::kString, function.filename.value);
           },
       .append_record = [&](size_t i, std::string* out) { AppendFunction(in_numbers(i), out); }},
      changes);
}

absl::Status Interner::NumberLocations(Changes* changes) {
  Memory& m = *memory_;
  const auto entry = [&](size_t i) -> const model::Location& { return m.dictionary.locations[i]; };
  const auto refers_to_new = [&](size_t i) {
    return IsNew(Table::kMapping, m.mappings[entry(i).mapping.value]) ||
           std::ranges::any_of(model::In(m.dictionary.lines, entry(i).lines),
                               [&](const model::Line& line) {
                                 return IsNew(Table::kFunction, m.functions[line.function.value]);
                               }) ||
           HasNew(entry(i).attributes);
  };
  LocationRecord record;
  return NumberTable(
      {.table = Table::kLocation,
       .entry_count = m.dictionary.locations.size(),
       .numbers = &m.locations,
       .refers_to_new = refers_to_new,
       .append_record =
           [&](size_t i, std::string* out) {
             record.location = entry(i);
             record.location.mapping = {m.mappings[record.location.mapping.value]};
             record.lines.clear();
             for (model::Line line : model::In(m.dictionary.lines, record.location.lines)) {
               line.function = {m.functions[line.function.value]};
               record.lines.push_back(line);
             }
             record.attributes = AttributeNumbers(record.location.attributes);
             AppendLocation(record, out);
           }},
      changes);
}

absl::Status Interner::NumberStacks(Changes* changes) {
  Memory& m = *memory_;
  const auto locations = [&](size_t i) {
    return model::In(m.dictionary.location_indices, m.dictionary.stacks[i].locations);
  };
  std::vector<uint32_t> numbers;
  return NumberTable({.table = Table::kStack,
                      .entry_count = m.dictionary.stacks.size(),
                      .numbers = &m.stacks,
                      .refers_to_new =
                          [&](size_t i) {
                            return std::ranges::any_of(
                                locations(i), [&](model::LocationIndex location) {
                                  return IsNew(Table::kLocation, m.locations[location.value]);
                                });
                          },
                      .append_record =
                          [&](size_t i, std::string* out) {
                            numbers.clear();
                            for (const model::LocationIndex location : locations(i))
                              numbers.push_back(m.locations[location.value]);
                            AppendNumbers(numbers, out);
                          }},
                     changes);
}

}  // namespace flarestack::store::rocks
