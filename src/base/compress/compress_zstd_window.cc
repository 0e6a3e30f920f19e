// SPDX-License-Identifier: Apache-2.0
#include "base/compress/compress_limits.h"

// Required for ZSTD_getFrameHeader().
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

namespace flarestack::base {

bool ZstdWindowIsTooLarge(std::string_view bytes) {
  ZSTD_frameHeader header;
  return ZSTD_getFrameHeader(&header, bytes.data(), bytes.size()) == 0 &&
         header.frameType == ZSTD_frame && header.windowSize > kZstdWindowBytesMax;
}

}  // namespace flarestack::base
