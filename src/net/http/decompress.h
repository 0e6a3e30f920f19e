// SPDX-License-Identifier: Apache-2.0
//
// Bodies by their Content-Encoding, with a cap on what comes out. A few kilobytes can be made to
// expand to gigabytes, so both the size and the ratio are limited, and the memory is asked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/byte_budget.h"

namespace flarestack::net {

// Those of the OpenTelemetry Collector. kSnappy is either format of Snappy: older Collectors send
// the framed one under this name, newer ones a raw block.
enum class ContentCoding { kIdentity, kGzip, kDeflate, kZstd, kSnappy, kSnappyFramed, kLz4 };

// What a server says in Accept-Encoding when it refuses another one.
inline constexpr std::string_view kAcceptedCodings =
    "gzip, zstd, deflate, zlib, snappy, x-snappy-framed, lz4, identity";

// One coding, in any case; empty is identity. kUnimplemented for others, and for several at once.
absl::StatusOr<ContentCoding> ParseContentCoding(std::string_view header);

struct DecompressLimits {
  uint64_t bytes_max = 64 << 20;
  // Real profiles shrink 3 to 20 times, a bomb 1000 times. What comes out small is exempt: a few
  // repeated bytes are no attack.
  uint64_t ratio_max = 200;
  uint64_t ratio_exempt_bytes = 1 << 20;
};

// kResourceExhausted beyond a limit or the whole budget of the lease, kUnavailable when the budget
// of the lease has no room now and the output would fit later, kInvalidArgument for damaged data.
// The lease afterwards holds what it held plus the output.
absl::StatusOr<std::string> Decompress(ContentCoding coding, std::string_view bytes,
                                       const DecompressLimits& limits, base::ByteLease* lease);

}  // namespace flarestack::net
