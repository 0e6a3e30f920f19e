// SPDX-License-Identifier: Apache-2.0
//
// XXH3 behind two small types: a quick 64-bit hash for tables in memory, and the 128-bit content
// hash for permanent ids. Only this wrapper includes xxHash.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace flarestack::base {

uint64_t Hash64(const void* data, size_t size_bytes);
inline uint64_t Hash64(std::string_view bytes) { return Hash64(bytes.data(), bytes.size()); }

struct MixKeys {
  uint64_t a = 0;
  uint64_t b = 0;
};

// Random per process. If they were known, a sender could choose a line number that makes one factor
// in Mix64() zero, and so create thousands of table entries with the same hash: 100000 of them took
// 26 s to merge.
extern const MixKeys kMixKeys;

// Mixes two words into one, for hashes of small structs in memory. The result differs between
// processes.
inline uint64_t Mix64(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a ^ kMixKeys.a) * (b ^ kMixKeys.b);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

struct Hash128 {
  uint64_t high = 0;
  uint64_t low = 0;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;

  std::string ToHex() const;  // 32 digits
};

Hash128 HashContent(std::string_view canonical_bytes);

}  // namespace flarestack::base
