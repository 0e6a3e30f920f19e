// SPDX-License-Identifier: Apache-2.0
//
// Typed positions in tables. A StackIndex cannot be passed where a StringIndex is expected.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace flarestack::model {

// Index 0 of each table is the empty entry that OTLP reserves: a default index means "not set". On
// the wire an index is an int32; a negative index becomes a value beyond any table here, and the
// range check catches it.
template <typename Tag>
struct Index {
  uint32_t value = 0;
  friend auto operator<=>(Index, Index) = default;
  explicit operator bool() const { return value != 0; }

  template <typename H>
  friend H AbslHashValue(H h, Index index) {
    return H::combine(std::move(h), index.value);
  }
};

using StringIndex = Index<struct StringTag>;
using MappingIndex = Index<struct MappingTag>;
using LocationIndex = Index<struct LocationTag>;
using FunctionIndex = Index<struct FunctionTag>;
using LinkIndex = Index<struct LinkTag>;
using AttributeIndex = Index<struct AttributeTag>;
using StackIndex = Index<struct StackTag>;

// OTLP indices are int32.
inline constexpr uint32_t kIndexMax = 0x7fffffff;

// A run of elements in a pool that a batch or dictionary owns.
struct Slice {
  uint32_t begin = 0;
  uint32_t count = 0;
  uint32_t end() const { return begin + count; }
  bool empty() const { return count == 0; }
  friend bool operator==(Slice, Slice) = default;
};

template <typename T>
std::span<const T> In(const std::vector<T>& pool, Slice slice) {
  return {pool.data() + slice.begin, slice.count};
}

}  // namespace flarestack::model
