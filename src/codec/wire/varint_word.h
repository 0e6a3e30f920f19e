// SPDX-License-Identifier: Apache-2.0
//
// Decodes varints from eight bytes at once, without a branch per byte. The branch predictor cannot
// guess mixed lengths, and a misprediction costs more than the whole computation here.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace flarestack::codec::wire {

inline constexpr int kWordBytes = 8;

inline uint64_t LoadWord(const char* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof(word));  // both supported architectures are little endian
  return word;
}

// The top bit of each byte that ends a number.
inline uint64_t Ends(uint64_t word) { return ~word & 0x8080808080808080; }

// The number of bits of the first number. `ends` must have a bit set.
inline int FirstNumberBits(uint64_t ends) { return std::countr_zero(ends) + 1; }

// All bytes up to the first end, and zeros above.
inline uint64_t FirstNumberBytes(uint64_t word, uint64_t ends) {
  return word & (ends ^ (ends - 1));
}

// The low seven bits of each byte, joined.
inline uint64_t JoinSevens(uint64_t word) {
  word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
  word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
  return (word & 0x000000000fffffff) | (word & 0x0fffffff00000000) >> 4;
}

}  // namespace flarestack::codec::wire
