// SPDX-License-Identifier: Apache-2.0
#include "elf/testing/xz_pack.h"

#include <lzma.h>

#include "base/check.h"

namespace flarestack::elf::testing {

std::string XzPack(std::string_view bytes, unsigned level) {
  std::string out(lzma_stream_buffer_bound(bytes.size()), '\0');
  size_t out_bytes = 0;
  FLARE_CHECK(lzma_easy_buffer_encode(level, LZMA_CHECK_CRC64, nullptr,
                                      reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
                                      reinterpret_cast<uint8_t*>(out.data()), &out_bytes,
                                      out.size()) == LZMA_OK);
  out.resize(out_bytes);
  return out;
}

}  // namespace flarestack::elf::testing
