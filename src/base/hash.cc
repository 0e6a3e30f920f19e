// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "absl/strings/str_format.h"

namespace flarestack::base {
namespace {

MixKeys DrawMixKeys() {
  MixKeys keys;
  if (getentropy(&keys, sizeof(keys)) != 0)
    return {.a = 0x9E3779B97F4A7C15U, .b = 0xC2B2AE3D27D4EB4FU};  // works, but is not secret
  return keys;
}

}  // namespace

const MixKeys kMixKeys = DrawMixKeys();

uint64_t Hash64(const void* data, size_t size_bytes) { return XXH3_64bits(data, size_bytes); }

std::string Hash128::ToHex() const { return absl::StrFormat("%016x%016x", high, low); }

Hash128 HashContent(std::string_view canonical_bytes) {
  const XXH128_hash_t hash = XXH3_128bits(canonical_bytes.data(), canonical_bytes.size());
  return {.high = hash.high64, .low = hash.low64};
}

}  // namespace flarestack::base
