// SPDX-License-Identifier: Apache-2.0
//
// The history that a zstd frame makes its decoder keep, beside the output. A few bytes of input can
// ask for gigabytes.
#pragma once

#include <cstdint>
#include <string_view>

namespace flarestack::base {

// What RFC 9659 allows for HTTP, and what `zstd` uses without --ultra and --long.
inline constexpr uint64_t kZstdWindowBytesMax = 8 << 20;

// True if `bytes` starts with a frame whose window is larger than that.
bool ZstdWindowIsTooLarge(std::string_view bytes);

}  // namespace flarestack::base
