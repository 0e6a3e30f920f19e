// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/loaded_dictionary.h"

#include <vector>

namespace flarestack::store::rocks {
namespace {

// Of an entry in the tables that find it by content and by number, which are half empty or more.
constexpr uint64_t kTableBytes = 64;

template <typename T>
uint64_t BytesOf(const std::vector<T>& list) {
  return list.capacity() * sizeof(T);
}

template <typename T>
uint64_t BytesOfTable(const std::vector<T>& table) {
  return BytesOf(table) + table.size() * kTableBytes;
}

}  // namespace

uint64_t LoadedDictionary::Bytes() const {
  return sizeof(*this) + arena.allocated_bytes() + BytesOfTable(dictionary.mappings) +
         BytesOfTable(dictionary.locations) + BytesOfTable(dictionary.functions) +
         BytesOfTable(dictionary.links) + BytesOfTable(dictionary.strings) +
         BytesOfTable(dictionary.attributes) + BytesOfTable(dictionary.stacks) +
         BytesOf(dictionary.lines) + BytesOf(dictionary.location_indices) +
         BytesOf(dictionary.attribute_indices) + BytesOf(dictionary.nodes);
}

}  // namespace flarestack::store::rocks
