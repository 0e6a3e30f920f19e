// SPDX-License-Identifier: Apache-2.0
//
// Snappy in both of its formats: a raw block, and the framed stream of framing_format.txt with a
// checksum per chunk. The framed format begins with a stream identifier, the raw one with a length.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/compress/compress.h"

namespace flarestack::base {

bool LooksLikeFramedSnappy(std::string_view bytes);

// The errors of both are those of Gunzip(). A length that the data does not keep is
// kInvalidArgument, and takes no memory.
absl::StatusOr<std::string> UnsnappyBlock(std::string_view bytes, const ExpandLimits& limits);
absl::StatusOr<std::string> UnsnappyFrames(std::string_view bytes, const ExpandLimits& limits);

// Either format, recognized by its first bytes.
absl::StatusOr<std::string> Unsnappy(std::string_view bytes, const ExpandLimits& limits);

// Of the framed format.
uint32_t MaskedCrc32c(std::string_view bytes);

}  // namespace flarestack::base
