// SPDX-License-Identifier: Apache-2.0
#include "model/builder/content_ids.h"

#include <algorithm>
#include <string>

#include "model/builder/value_identity.h"

namespace flarestack::model {
namespace {

// A letter prefix separates the kinds: an empty function and an empty mapping are different
// content.
enum class Domain : char {
  kString = 's',
  kAttribute = 'a',
  kMapping = 'm',
  kFunction = 'f',
  kLocation = 'l',
  kStack = 'k'
};

void Append(const ContentId& id, std::string* out) {
  AppendCanonical(id.high, out);
  AppendCanonical(id.low, out);
}

// The order of attributes is not part of an identity, so their ids are sorted.
void AppendAttributes(const Dictionary& dictionary, const ContentIds& ids, Slice slice,
                      std::string* out) {
  std::vector<ContentId> sorted;
  for (const AttributeIndex attribute : In(dictionary.attribute_indices, slice)) {
    sorted.push_back(ids.attributes[attribute.value]);
  }
  std::ranges::sort(sorted);
  AppendCanonical(uint64_t{sorted.size()}, out);
  for (const ContentId& id : sorted) {
    Append(id, out);
  }
}

template <typename Entry, typename AppendEntry>
void HashNewEntries(const std::vector<Entry>& entries, Domain domain, AppendEntry append,
                    std::vector<ContentId>* ids) {
  std::string empty;
  std::string bytes;
  if (ids->empty())
    ids->resize(std::min<size_t>(entries.size(), 1));
  ids->reserve(entries.size());
  for (size_t i = ids->size(); i < entries.size(); ++i) {
    if (empty.empty()) {
      empty.assign(1, static_cast<char>(domain));
      append(Entry{}, &empty);
    }
    bytes.assign(1, static_cast<char>(domain));
    append(entries[i], &bytes);
    ids->push_back(bytes != empty ? base::HashContent(bytes) : ContentId{});
  }
}

}  // namespace

ContentId StringId(std::string_view text) {
  std::string bytes(1, static_cast<char>(Domain::kString));
  AppendCanonical(text, &bytes);
  return base::HashContent(bytes);
}

ContentIds ComputeContentIds(const Dictionary& dictionary) {
  ContentIds ids;
  ExtendContentIds(dictionary, &ids);
  return ids;
}

void ExtendContentIds(const Dictionary& dictionary, ContentIds* ids) {
  HashNewEntries(
      dictionary.attributes, Domain::kAttribute,
      [&](const Attribute& entry, std::string* out) {
        AppendCanonical(dictionary.Text(entry.key), out);
        AppendCanonical(dictionary.Text(entry.unit), out);
        AppendCanonical(dictionary, entry.value, out);
      },
      &ids->attributes);
  HashNewEntries(
      dictionary.mappings, Domain::kMapping,
      [&](const Mapping& entry, std::string* out) {
        AppendCanonical(entry.memory_start, out);
        AppendCanonical(entry.memory_limit, out);
        AppendCanonical(entry.file_offset, out);
        AppendCanonical(dictionary.Text(entry.filename), out);
        AppendAttributes(dictionary, *ids, entry.attributes, out);
      },
      &ids->mappings);
  HashNewEntries(
      dictionary.functions, Domain::kFunction,
      [&](const Function& entry, std::string* out) {
        AppendCanonical(dictionary.Text(entry.name), out);
        AppendCanonical(dictionary.Text(entry.system_name), out);
        AppendCanonical(dictionary.Text(entry.filename), out);
        AppendCanonical(static_cast<uint64_t>(entry.start_line), out);
      },
      &ids->functions);
  HashNewEntries(
      dictionary.locations, Domain::kLocation,
      [&](const Location& entry, std::string* out) {
        Append(ids->mappings[entry.mapping.value], out);
        AppendCanonical(entry.address, out);
        AppendCanonical(uint64_t{entry.lines.count}, out);
        for (const Line& line : In(dictionary.lines, entry.lines)) {
          Append(ids->functions[line.function.value], out);
          AppendCanonical(static_cast<uint64_t>(line.line), out);
          AppendCanonical(static_cast<uint64_t>(line.column), out);
        }
        AppendAttributes(dictionary, *ids, entry.attributes, out);
      },
      &ids->locations);
  HashNewEntries(
      dictionary.stacks, Domain::kStack,
      [&](const Stack& entry, std::string* out) {
        AppendCanonical(uint64_t{entry.locations.count}, out);
        for (const LocationIndex location : In(dictionary.location_indices, entry.locations)) {
          Append(ids->locations[location.value], out);
        }
      },
      &ids->stacks);
}

}  // namespace flarestack::model
