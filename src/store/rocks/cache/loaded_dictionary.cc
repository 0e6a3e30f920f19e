// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/cache/loaded_dictionary.h"

#include <string_view>
#include <vector>

namespace flarestack::store::rocks {
namespace {

// Per entry, in the hash table that finds it by content; the table is at most half full.
constexpr uint64_t kTableBytes = 32;

template <typename T>
uint64_t BytesOf(const std::vector<T>& list) {
  return list.size() * sizeof(T);  // a copy has no spare capacity
}

template <typename T>
uint64_t BytesOfTable(const std::vector<T>& table) {
  return BytesOf(table) + table.size() * kTableBytes;
}

}  // namespace

uint64_t LoadedBytes(const model::Dictionary& dictionary, const KnownNumbers& known) {
  uint64_t text_bytes = 0;
  for (const std::string_view text : dictionary.strings)
    text_bytes += text.size();
  for (const model::Attribute& attribute : dictionary.attributes)
    text_bytes += attribute.value.text.size();
  return sizeof(LoadedDictionary) + text_bytes + known.Bytes() + BytesOfTable(dictionary.mappings) +
         BytesOfTable(dictionary.locations) + BytesOfTable(dictionary.functions) +
         BytesOfTable(dictionary.links) + BytesOfTable(dictionary.strings) +
         BytesOfTable(dictionary.attributes) + BytesOfTable(dictionary.stacks) +
         BytesOf(dictionary.lines) + BytesOf(dictionary.location_indices) +
         BytesOf(dictionary.attribute_indices) + BytesOf(dictionary.nodes);
}

}  // namespace flarestack::store::rocks
