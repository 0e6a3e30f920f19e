// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/from_otlp_tables.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "base/status.h"
#include "codec/pprof/message/mapping_keys.h"
#include "model/builder/batch_builder.h"

namespace flarestack::codec::pprof {
namespace {

using model::AnyValue;

// The id of the entry at `position`.
uint64_t IdAt(const std::vector<uint64_t>& ids, size_t position) {
  return position < ids.size() ? ids[position] : position + 1;
}

uint64_t UnusedId(const auto& entries) {
  uint64_t largest = 0;
  for (const auto& entry : entries)
    largest = std::max(largest, entry.id);
  return largest + 1;
}

std::vector<uint64_t> IdsIn(const model::Dictionary& dictionary, const AnyValue& value,
                            size_t expected_count) {
  std::vector<uint64_t> ids;
  absl::flat_hash_set<uint64_t> seen;
  if (value.kind != AnyValue::Kind::kArray || value.nodes.count != expected_count)
    return ids;
  for (const model::KeyValue& node : model::In(dictionary.nodes, value.nodes)) {
    const auto id = static_cast<uint64_t>(node.value.int_value);
    if (node.value.kind != AnyValue::Kind::kInt || id == 0 || id + 1 == 0 ||
        !seen.insert(id).second)
      return {};
    ids.push_back(id);
  }
  return ids;
}

// All entries except the reserved entry 0.
std::vector<uint32_t> AllOf(const auto& table) {
  std::vector<uint32_t> entries(table.size() - 1);
  std::iota(entries.begin(), entries.end(), 1u);
  return entries;
}

std::vector<uint32_t> PositionsOf(const std::vector<uint32_t>& entries, const auto& table) {
  std::vector<uint32_t> positions(table.size(), 0);
  for (size_t i = 0; i < entries.size(); ++i)
    positions[entries[i]] = static_cast<uint32_t>(i);
  return positions;
}

// Entries of a table in the order of first use.
class SeenEntries {
 public:
  explicit SeenEntries(const auto& table) : is_seen_(table.size()) { is_seen_[0] = true; }

  // Returns whether the entry is new.
  bool Meet(uint32_t entry) {
    if (is_seen_[entry])
      return false;
    is_seen_[entry] = true;
    entries_.push_back(entry);
    return true;
  }
  std::vector<uint32_t> Take() && { return std::move(entries_); }

 private:
  std::vector<bool> is_seen_;
  std::vector<uint32_t> entries_;
};

}  // namespace

TableEntries AllEntries(const model::Dictionary& dictionary) {
  return {.mappings = AllOf(dictionary.mappings),
          .functions = AllOf(dictionary.functions),
          .locations = AllOf(dictionary.locations)};
}

TableEntries UsedEntries(const model::Batch& batch) {
  const model::Dictionary& dictionary = batch.dictionary;
  SeenEntries stacks(dictionary.stacks);
  SeenEntries locations(dictionary.locations);
  SeenEntries mappings(dictionary.mappings);
  SeenEntries functions(dictionary.functions);
  const auto meet_location = [&](model::LocationIndex index) {
    if (!locations.Meet(index.value))
      return;
    const model::Location& location = dictionary.locations[index.value];
    mappings.Meet(location.mapping.value);
    for (const model::Line& line : model::In(dictionary.lines, location.lines))
      functions.Meet(line.function.value);
  };
  for (const model::Sample& sample : batch.samples) {
    if (!stacks.Meet(sample.stack.value))
      continue;
    const model::Slice used = dictionary.stacks[sample.stack.value].locations;
    for (const model::LocationIndex index : model::In(dictionary.location_indices, used))
      meet_location(index);
  }
  return {.mappings = std::move(mappings).Take(),
          .functions = std::move(functions).Take(),
          .locations = std::move(locations).Take()};
}

TableWriter::TableWriter(const model::Dictionary& dictionary, const EntryIds& ids,
                         TableEntries entries, Profile* profile)
    : dictionary_(dictionary),
      ids_(ids),
      entries_(std::move(entries)),
      profile_(*profile),
      mapping_positions_(PositionsOf(entries_.mappings, dictionary.mappings)),
      function_positions_(PositionsOf(entries_.functions, dictionary.functions)),
      location_positions_(PositionsOf(entries_.locations, dictionary.locations)) {}

EntryIds StoredIds(const model::Batch& batch, const model::Scope& scope) {
  const model::Dictionary& tables = batch.dictionary;
  EntryIds ids;
  for (const model::KeyValue& attribute : model::In(tables.nodes, scope.attributes)) {
    const std::string_view key = tables.Key(attribute);
    if (key == kMappingIdsKey)
      ids.mappings = IdsIn(tables, attribute.value, tables.mappings.size() - 1);
    if (key == kLocationIdsKey)
      ids.locations = IdsIn(tables, attribute.value, tables.locations.size() - 1);
    if (key == kFunctionIdsKey)
      ids.functions = IdsIn(tables, attribute.value, tables.functions.size() - 1);
  }
  return ids;
}

absl::StatusOr<std::optional<model::Batch>> WithoutStaleIds(const model::Batch& batch,
                                                            uint32_t scope, const EntryIds& ids) {
  const auto is_stale = [&](size_t at, std::string_view key) {
    const std::vector<uint64_t>* const known = key == kMappingIdsKey    ? &ids.mappings
                                               : key == kLocationIdsKey ? &ids.locations
                                               : key == kFunctionIdsKey ? &ids.functions
                                                                        : nullptr;
    return known != nullptr && (known->empty() || at != scope);
  };
  bool has_stale = false;
  for (size_t i = 0; i < batch.scopes.size(); ++i) {
    for (const model::KeyValue& entry :
         model::In(batch.dictionary.nodes, batch.scopes[i].attributes))
      has_stale = has_stale || is_stale(i, batch.dictionary.Key(entry));
  }
  if (!has_stale)
    return std::nullopt;
  model::BatchBuilder builder(model::Grouping::kNone);
  builder.MergeEnvelope(batch);
  FLARE_ASSIGN(model::Batch envelope, std::move(builder).Finish());
  for (size_t i = 0; i < envelope.scopes.size(); ++i) {
    model::Slice& attributes = envelope.scopes[i].attributes;
    const auto begin = envelope.dictionary.nodes.begin() + attributes.begin;
    const auto end = std::remove_if(begin, begin + attributes.count, [&](const auto& entry) {
      return is_stale(i, envelope.dictionary.Key(entry));
    });
    attributes.count = static_cast<uint32_t>(end - begin);
    // A scope with no other content counts as absent.
    const model::Scope& left = envelope.scopes[i];
    if (attributes.empty() && left.name.empty() && left.version.empty() &&
        left.dropped_attributes_count == 0)
      envelope.scopes[i].present = false;
  }
  return std::optional(std::move(envelope));
}

Extras TableWriter::Write() {
  Extras extras;
  for (const uint32_t entry : entries_.mappings)
    WriteMapping(entry, &extras);
  for (const uint32_t entry : entries_.functions)
    WriteFunction(entry);
  for (const uint32_t entry : entries_.locations)
    WriteLocation(entry, &extras);
  return extras;
}

void TableWriter::WriteMapping(size_t index, Extras* extras) {
  const model::Mapping& from = dictionary_.mappings[index];
  Mapping& mapping = profile_.mappings.emplace_back();
  mapping.id = IdAt(ids_.mappings, mapping_positions_[index]);
  mapping.memory_start = from.memory_start;
  mapping.memory_limit = from.memory_limit;
  mapping.file_offset = from.file_offset;
  mapping.filename = dictionary_.Text(from.filename);
  Extra extra = {.id = mapping.id, .attributes = {}};
  for (const model::AttributeIndex attribute_index :
       model::In(dictionary_.attribute_indices, from.attributes)) {
    const model::Attribute& attribute = dictionary_.attributes[attribute_index.value];
    const std::string_view key = dictionary_.Text(attribute.key);
    const bool is_true =
        attribute.value.kind == AnyValue::Kind::kBool && attribute.value.bool_value;
    const bool is_text = dictionary_.IsString(attribute.value) && !attribute.unit;
    // Use pprof's build id field only if reading it back gives the same key.
    const std::string_view text =
        is_text ? dictionary_.String(attribute.value) : std::string_view();
    const bool has_slash = text.find('/') != std::string_view::npos;
    if (!text.empty() && mapping.build_id.empty() &&
        ((key == kBuildIdGnuKey && !has_slash) || (key == kBuildIdGoKey && has_slash))) {
      mapping.build_id = text;
    } else if (key == kHasFunctionsKey && is_true) {
      mapping.has_functions = true;
    } else if (key == kHasFilenamesKey && is_true) {
      mapping.has_filenames = true;
    } else if (key == kHasLineNumbersKey && is_true) {
      mapping.has_line_numbers = true;
    } else if (key == kHasInlineFramesKey && is_true) {
      mapping.has_inline_frames = true;
    } else if (key != kUnknownMappingKey) {
      extra.attributes.push_back(attribute_index);
    }
  }
  if (!extra.attributes.empty())
    extras->mappings.push_back(std::move(extra));
}

void TableWriter::WriteFunction(size_t index) {
  const model::Function& function = dictionary_.functions[index];
  profile_.functions.push_back({.id = IdAt(ids_.functions, function_positions_[index]),
                                .name = dictionary_.Text(function.name),
                                .system_name = dictionary_.Text(function.system_name),
                                .filename = dictionary_.Text(function.filename),
                                .start_line = function.start_line});
}

// pprof requires a function for each line; "no function" becomes one without names, and is read
// back as none.
uint32_t TableWriter::PositionOf(model::FunctionIndex function) {
  if (function)
    return function_positions_[function.value];
  if (!has_empty_function_) {
    has_empty_function_ = true;
    profile_.functions.push_back({.id = UnusedId(profile_.functions)});
  }
  return static_cast<uint32_t>(profile_.functions.size() - 1);
}

uint32_t TableWriter::PositionOf(model::LocationIndex location) {
  if (location)
    return location_positions_[location.value];
  if (empty_location_ == kNoMapping) {
    empty_location_ = static_cast<uint32_t>(profile_.locations.size());
    profile_.locations.push_back({.id = UnusedId(profile_.locations)});
  }
  return empty_location_;
}

void TableWriter::WriteLocation(size_t index, Extras* extras) {
  const model::Location& from = dictionary_.locations[index];
  Location location;
  location.id = IdAt(ids_.locations, location_positions_[index]);
  location.mapping = from.mapping ? mapping_positions_[from.mapping.value] : kNoMapping;
  location.address = from.address;
  location.lines = {.begin = static_cast<uint32_t>(profile_.lines.size()),
                    .count = from.lines.count};
  for (const model::Line& line : model::In(dictionary_.lines, from.lines)) {
    profile_.lines.push_back(
        {.function = PositionOf(line.function), .line = line.line, .column = line.column});
  }
  Extra extra = {.id = location.id, .attributes = {}};
  for (const model::AttributeIndex attribute_index :
       model::In(dictionary_.attribute_indices, from.attributes)) {
    const model::Attribute& attribute = dictionary_.attributes[attribute_index.value];
    if (dictionary_.Text(attribute.key) == kIsFoldedKey &&
        attribute.value.kind == AnyValue::Kind::kBool && attribute.value.bool_value) {
      location.is_folded = true;
    } else {
      extra.attributes.push_back(attribute_index);
    }
  }
  if (!extra.attributes.empty())
    extras->locations.push_back(std::move(extra));
  profile_.locations.push_back(location);
}

}  // namespace flarestack::codec::pprof
