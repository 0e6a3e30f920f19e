// SPDX-License-Identifier: Apache-2.0
//
// The window of a zstd frame: the history its decoder must keep in addition to the output. A few
// bytes of input can demand gigabytes.
#pragma once

#include <cstdint>
#include <string_view>

namespace flarestack::base {

// The limit of RFC 9659 for HTTP, and of `zstd` without --ultra and --long.
inline constexpr uint64_t kZstdWindowBytesMax = 8 << 20;

// True if `bytes` starts with a frame whose window exceeds kZstdWindowBytesMax.
bool ZstdWindowIsTooLarge(std::string_view bytes);

}  // namespace flarestack::base
