// SPDX-License-Identifier: Apache-2.0
//
// The errors for exceeding a cap, worded the same for each format. Internal to base/compress*.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "base/compress/compress.h"
#include "base/text/text.h"

namespace flarestack::base {

// Initial output size if the final size is unknown. The output then doubles.
inline constexpr uint64_t kFirstExpandBytes = 64 << 10;

inline absl::Status TooLarge(uint64_t bytes_max) {
  return absl::ResourceExhaustedError(
      StrCat("decompressed data is larger than the limit of ", bytes_max, " bytes"));
}

inline absl::Status Reserve(const ExpandLimits& limits, uint64_t bytes) {
  if (limits.try_reserve == nullptr || limits.try_reserve(bytes))
    return absl::OkStatus();
  return absl::UnavailableError(
      StrCat("not enough memory for ", bytes, " bytes of decompressed data"));
}

// The window of a zstd frame: the history its decoder must keep in addition to the output. A few
// bytes of input can demand gigabytes. The limit is that of RFC 9659 for HTTP, and of `zstd`
// without --ultra and --long.
inline constexpr uint64_t kZstdWindowBytesMax = 8 << 20;

// True if `bytes` starts with a frame whose window exceeds kZstdWindowBytesMax.
bool ZstdWindowIsTooLarge(std::string_view bytes);

}  // namespace flarestack::base
