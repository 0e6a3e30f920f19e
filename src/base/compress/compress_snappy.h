// SPDX-License-Identifier: Apache-2.0
//
// Snappy in both formats: a raw block, and the framed stream of framing_format.txt with a checksum
// per chunk. The framed format begins with a stream identifier, the raw one with a length.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/compress/compress.h"

namespace flarestack::base {

bool LooksLikeFramedSnappy(std::string_view bytes);

// Both return the same errors as Gunzip(). If the data does not match its stated length, they
// return kInvalidArgument without allocating that length.
absl::StatusOr<std::string> UnsnappyBlock(std::string_view bytes, const ExpandLimits& limits);
absl::StatusOr<std::string> UnsnappyFrames(std::string_view bytes, const ExpandLimits& limits);

// Either format, recognized by its first bytes.
absl::StatusOr<std::string> Unsnappy(std::string_view bytes, const ExpandLimits& limits);

// The checksum of the framed format.
uint32_t MaskedCrc32c(std::string_view bytes);

}  // namespace flarestack::base
