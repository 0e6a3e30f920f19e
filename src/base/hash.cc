// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "absl/strings/str_format.h"

namespace flarestack::base {

uint64_t Hash64(const void* data, size_t size_bytes) { return XXH3_64bits(data, size_bytes); }

std::string Hash128::ToHex() const { return absl::StrFormat("%016x%016x", high, low); }

Hash128 HashContent(std::string_view canonical_bytes) {
  const XXH128_hash_t hash = XXH3_128bits(canonical_bytes.data(), canonical_bytes.size());
  return {.high = hash.high64, .low = hash.low64};
}

}  // namespace flarestack::base
