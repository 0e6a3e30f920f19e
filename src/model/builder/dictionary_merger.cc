// SPDX-License-Identifier: Apache-2.0
#include "model/builder/dictionary_merger.h"

#include <algorithm>

namespace flarestack::model {
namespace {

template <typename T, typename Translate>
std::span<const T> MapList(std::span<const T> list, std::vector<T>* scratch, Translate translate) {
  if (scratch->size() < list.size())
    scratch->resize(list.size());
  T* out = scratch->data();
  for (size_t i = 0; i < list.size(); ++i)
    out[i] = translate(list[i]);
  return {out, list.size()};
}

}  // namespace

DictionaryMerger::DictionaryMerger(const Dictionary& from, DictionaryBuilder* to)
    : from_(from),
      to_(*to),
      strings_(from.strings.size(), 0),
      functions_(from.functions.size(), 0),
      mappings_(from.mappings.size(), 0),
      locations_(from.locations.size(), 0),
      links_(from.links.size(), 0),
      attributes_(from.attributes.size(), 0),
      stacks_(from.stacks.size(), 0) {}

void DictionaryMerger::NeedAttributes(Slice slice) {
  for (const AttributeIndex attribute : In(from_.attribute_indices, slice)) {
    Need(attribute);
  }
}

void DictionaryMerger::NeedEverything() {
  needs_everything_ = true;
  for (IndexMap* map :
       {&strings_, &functions_, &mappings_, &locations_, &links_, &attributes_, &stacks_}) {
    std::ranges::fill(*map, kNeeded);
  }
}

void DictionaryMerger::Run() {
  if (!needs_everything_) {
    SpreadNeeds();
  }
  CopyStringsAndAttributes();
  CopyMappingsAndFunctions();
  CopyLocations();
  CopyLinksAndStacks();
}

// Goes from stacks down to strings: each table is fully marked before the tables it refers to.
void DictionaryMerger::SpreadNeeds() {
  for (size_t i = 1; i < stacks_.size(); ++i) {
    if (stacks_[i] == 0)
      continue;
    for (const LocationIndex location : In(from_.location_indices, from_.stacks[i].locations)) {
      locations_[location.value] = kNeeded;
    }
  }
  for (size_t i = 1; i < locations_.size(); ++i) {
    if (locations_[i] == 0)
      continue;
    const Location& location = from_.locations[i];
    mappings_[location.mapping.value] = kNeeded;
    for (const Line& line : In(from_.lines, location.lines)) {
      functions_[line.function.value] = kNeeded;
    }
    NeedAttributes(location.attributes);
  }
  for (size_t i = 1; i < functions_.size(); ++i) {
    if (functions_[i] == 0)
      continue;
    Need(from_.functions[i].name);
    Need(from_.functions[i].system_name);
    Need(from_.functions[i].filename);
  }
  for (size_t i = 1; i < mappings_.size(); ++i) {
    if (mappings_[i] == 0)
      continue;
    Need(from_.mappings[i].filename);
    NeedAttributes(from_.mappings[i].attributes);
  }
  for (size_t i = 1; i < attributes_.size(); ++i) {
    if (attributes_[i] == 0)
      continue;
    Need(from_.attributes[i].key);
    Need(from_.attributes[i].unit);
  }
}

void DictionaryMerger::CopyStringsAndAttributes() {
  strings_[0] = 0;
  for (size_t i = 1; i < strings_.size(); ++i) {
    if (strings_[i] != 0)
      strings_[i] = to_.String(from_.strings[i]).value;
  }
  attributes_[0] = 0;
  for (size_t i = 1; i < attributes_.size(); ++i) {
    if (attributes_[i] == 0)
      continue;
    const Attribute& attribute = from_.attributes[i];
    attributes_[i] =
        to_.Attribute(Map(attribute.key), Map(attribute.unit), from_, attribute.value).value;
  }
}

std::span<const AttributeIndex> DictionaryMerger::MapAttributes(Slice slice) {
  return MapList(In(from_.attribute_indices, slice), &attribute_scratch_,
                 [this](AttributeIndex attribute) { return Map(attribute); });
}

std::span<const Line> DictionaryMerger::MapLines(Slice slice) {
  return MapList(In(from_.lines, slice), &line_scratch_, [this](const Line& line) {
    return Line{.function = Map(line.function), .line = line.line, .column = line.column};
  });
}

std::span<const LocationIndex> DictionaryMerger::MapStack(Slice slice) {
  return MapList(In(from_.location_indices, slice), &location_scratch_,
                 [this](LocationIndex location) { return Map(location); });
}

void DictionaryMerger::CopyMappingsAndFunctions() {
  mappings_[0] = 0;
  for (size_t i = 1; i < mappings_.size(); ++i) {
    if (mappings_[i] == 0)
      continue;
    Mapping mapping = from_.mappings[i];
    mapping.filename = Map(mapping.filename);
    mappings_[i] = to_.Mapping(mapping, MapAttributes(mapping.attributes)).value;
  }
  functions_[0] = 0;
  for (size_t i = 1; i < functions_.size(); ++i) {
    if (functions_[i] == 0)
      continue;
    const Function& function = from_.functions[i];
    functions_[i] = to_.Function({.name = Map(function.name),
                                  .system_name = Map(function.system_name),
                                  .filename = Map(function.filename),
                                  .start_line = function.start_line})
                        .value;
  }
}

void DictionaryMerger::CopyLocations() {
  locations_[0] = 0;
  for (size_t i = 1; i < locations_.size(); ++i) {
    if (locations_[i] == 0)
      continue;
    Location location = from_.locations[i];
    location.mapping = Map(location.mapping);
    locations_[i] =
        to_.Location(location, MapLines(location.lines), MapAttributes(location.attributes)).value;
  }
}

void DictionaryMerger::CopyLinksAndStacks() {
  links_[0] = 0;
  for (size_t i = 1; i < links_.size(); ++i) {
    if (links_[i] != 0)
      links_[i] = to_.Link(from_.links[i]).value;
  }
  stacks_[0] = 0;
  for (size_t i = 1; i < stacks_.size(); ++i) {
    if (stacks_[i] != 0)
      stacks_[i] = to_.Stack(MapStack(from_.stacks[i].locations)).value;
  }
}

}  // namespace flarestack::model
