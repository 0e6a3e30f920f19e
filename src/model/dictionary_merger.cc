// SPDX-License-Identifier: Apache-2.0
#include "model/dictionary_merger.h"

namespace flarestack::model {

DictionaryMerger::DictionaryMerger(const Dictionary& from, DictionaryBuilder* to)
    : from_(from),
      to_(*to),
      strings_(from.strings.size(), kUnmapped),
      functions_(from.functions.size(), kUnmapped),
      mappings_(from.mappings.size(), kUnmapped),
      locations_(from.locations.size(), kUnmapped),
      links_(from.links.size(), kUnmapped),
      attributes_(from.attributes.size(), kUnmapped),
      stacks_(from.stacks.size(), kUnmapped) {}

// Index 0 means "not set" whatever a sender has put there, so it maps to 0 without a look at the
// entry.

StringIndex DictionaryMerger::Map(StringIndex index) {
  if (!index)
    return {};
  uint32_t& mapped = strings_[index.value];
  if (mapped == kUnmapped) {
    mapped = to_.String(from_.strings[index.value]).value;
  }
  return {mapped};
}

FunctionIndex DictionaryMerger::Map(FunctionIndex index) {
  if (!index)
    return {};
  uint32_t& mapped = functions_[index.value];
  if (mapped == kUnmapped) {
    const Function& function = from_.functions[index.value];
    mapped = to_.Function({.name = Map(function.name),
                           .system_name = Map(function.system_name),
                           .filename = Map(function.filename),
                           .start_line = function.start_line})
                 .value;
  }
  return {mapped};
}

std::span<const AttributeIndex> DictionaryMerger::MapAttributes(Slice slice) {
  attribute_scratch_.clear();
  for (const AttributeIndex attribute : In(from_.attribute_indices, slice)) {
    attribute_scratch_.push_back(Map(attribute));
  }
  return attribute_scratch_;
}

MappingIndex DictionaryMerger::Map(MappingIndex index) {
  if (!index)
    return {};
  uint32_t& mapped = mappings_[index.value];
  if (mapped == kUnmapped) {
    const Mapping& mapping = from_.mappings[index.value];
    mapped = to_.Mapping({.memory_start = mapping.memory_start,
                          .memory_limit = mapping.memory_limit,
                          .file_offset = mapping.file_offset,
                          .filename = Map(mapping.filename),
                          .attributes = {}},
                         MapAttributes(mapping.attributes))
                 .value;
  }
  return {mapped};
}

LocationIndex DictionaryMerger::Map(LocationIndex index) {
  if (!index)
    return {};
  uint32_t& mapped = locations_[index.value];
  if (mapped == kUnmapped) {
    const Location& location = from_.locations[index.value];
    const MappingIndex mapping = Map(location.mapping);
    line_scratch_.clear();
    for (const Line& line : In(from_.lines, location.lines)) {
      line_scratch_.push_back(
          {.function = Map(line.function), .line = line.line, .column = line.column});
    }
    mapped =
        to_.Location(
               {.mapping = mapping, .address = location.address, .lines = {}, .attributes = {}},
               line_scratch_, MapAttributes(location.attributes))
            .value;
  }
  return {mapped};
}

LinkIndex DictionaryMerger::Map(LinkIndex index) {
  if (!index)
    return {};
  uint32_t& mapped = links_[index.value];
  if (mapped == kUnmapped) {
    mapped = to_.Link(from_.links[index.value]).value;
  }
  return {mapped};
}

AttributeIndex DictionaryMerger::Map(AttributeIndex index) {
  if (!index)
    return {};
  uint32_t& mapped = attributes_[index.value];
  if (mapped == kUnmapped) {
    const Attribute& attribute = from_.attributes[index.value];
    mapped = to_.Attribute(Map(attribute.key), Map(attribute.unit), from_, attribute.value).value;
  }
  return {mapped};
}

StackIndex DictionaryMerger::Map(StackIndex index) {
  if (!index)
    return {};
  uint32_t& mapped = stacks_[index.value];
  if (mapped == kUnmapped) {
    location_scratch_.clear();
    for (const LocationIndex location :
         In(from_.location_indices, from_.stacks[index.value].locations)) {
      location_scratch_.push_back(Map(location));
    }
    mapped = to_.Stack(location_scratch_).value;
  }
  return {mapped};
}

}  // namespace flarestack::model
