// SPDX-License-Identifier: Apache-2.0
//
// Packed lists of varints. Nearly all of them are indices of one or two bytes, so a word with eight
// or four of those is decoded at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <vector>

#include "codec/wire/reader.h"
#include "codec/wire/varint_word.h"

namespace flarestack::codec::wire {

namespace packed_internal {

template <typename T>
T ToElement(uint64_t number) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(number);
  } else {
    return T{static_cast<uint32_t>(number)};
  }
}

// Decodes the numbers at the start of a word and returns how many bits they had; 0 if the first
// number does not end in it.
template <typename T>
[[gnu::always_inline]] inline int TakeFromWord(uint64_t word, T** next) {
  constexpr uint64_t kEightSingles = 0x8080808080808080;
  constexpr uint64_t kFourPairs = 0x8000800080008000;
  const uint64_t ends = Ends(word);
  T* out = *next;
  if (ends == kFourPairs) {
    const uint64_t joined = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
    for (int i = 0; i < 4; ++i)
      out[i] = ToElement<T>(joined >> (16 * i) & 0x3fff);
    *next = out + 4;
    return 64;
  }
  if (ends == kEightSingles) {
    for (int i = 0; i < 8; ++i)
      out[i] = ToElement<T>(word >> (8 * i) & 0x7f);
    *next = out + 8;
    return 64;
  }
  if (ends == 0) [[unlikely]] {
    return 0;
  }
  out[0] = ToElement<T>(JoinSevens(FirstNumberBytes(word, ends)));
  const int first_bits = FirstNumberBits(ends);
  const uint64_t later_ends = ends & (ends - 1);
  if (later_ends == 0) [[unlikely]] {
    *next = out + 1;
    return first_bits;
  }
  const int both_bits = FirstNumberBits(later_ends);
  out[1] = ToElement<T>(JoinSevens(FirstNumberBytes(word >> first_bits, later_ends >> first_bits)));
  *next = out + 2;
  return both_bits;
}

// Uninitialized space for numbers, which avoids filling it with zeros first.
template <typename T>
union Room {
  Room() {}
  T numbers[128];
};

}  // namespace packed_internal

// The number of elements in a packed list.
inline uint64_t CountPacked(std::string_view bytes) {
  uint64_t count = 0;
  for (const char c : bytes)
    count += static_cast<uint8_t>(c) < 0x80 ? 1 : 0;
  return count;
}

// Appends the numbers of a packed list. T is an integer or a 32-bit index.
template <typename T>
void AppendPacked(std::string_view bytes, std::vector<T>* pool, Fault* fault) {
  // Collect numbers here first: resizing the vector would fill the new elements with zeros.
  packed_internal::Room<T> gathered;
  while (!bytes.empty()) {
    T* next = std::begin(gathered.numbers);
    T* const full = std::end(gathered.numbers) - kWordBytes;
    while (bytes.size() >= kWordBytes && next <= full) {
      const int bits = packed_internal::TakeFromWord(LoadWord(bytes.data()), &next);
      if (bits == 0) [[unlikely]] {
        break;
      }
      bytes.remove_prefix(static_cast<size_t>(bits) / 8);
    }
    // The rest is shorter than a word, or begins with a number longer than one.
    Reader rest(bytes, fault);
    while (next <= full && !rest.rest().empty()) {
      *next++ = packed_internal::ToElement<T>(rest.Varint());
      if (rest.rest().size() >= kWordBytes)
        break;
    }
    bytes = rest.rest();
    pool->insert(pool->end(), std::begin(gathered.numbers), next);
  }
}

}  // namespace flarestack::codec::wire
