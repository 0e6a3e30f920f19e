// SPDX-License-Identifier: Apache-2.0
//
// Decodes bodies by their Content-Encoding, with a cap on the output. A few kilobytes can expand to
// gigabytes, so both the size and the ratio are limited, and the memory comes from a lease.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/memory/byte_budget.h"

namespace flarestack::net {

// The codings of the OpenTelemetry Collector. kSnappy is either format of Snappy: older Collectors
// send the framed one under this name, newer ones a raw block.
enum class ContentCoding { kIdentity, kGzip, kDeflate, kZstd, kSnappy, kSnappyFramed, kLz4 };

// The Accept-Encoding that a server sends when it rejects another coding.
inline constexpr std::string_view kAcceptedCodings =
    "gzip, zstd, deflate, zlib, snappy, x-snappy-framed, lz4, identity";

// Parses one coding, case-insensitively; empty is identity. Returns kUnimplemented for unknown
// codings and for lists of several.
absl::StatusOr<ContentCoding> ParseContentCoding(std::string_view header);

struct DecompressLimits {
  uint64_t bytes_max = 64 << 20;
  // Real profiles shrink 3 to 20 times, a bomb 1000 times. Small outputs are exempt: a few repeated
  // bytes are not an attack.
  uint64_t ratio_max = 200;
  uint64_t ratio_exempt_bytes = 1 << 20;
};

// Returns kResourceExhausted if the output exceeds a limit or the whole budget of the lease,
// kUnavailable if the budget has no room now but the output would fit later, and kInvalidArgument
// for corrupt data. Afterwards the lease covers what it covered before plus the output.
absl::StatusOr<std::string> Decompress(ContentCoding coding, std::string_view bytes,
                                       const DecompressLimits& limits, base::ByteLease* lease);

}  // namespace flarestack::net
