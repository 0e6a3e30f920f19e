// SPDX-License-Identifier: Apache-2.0
#include "base/testing/compressors.h"

#include <lz4frame.h>
#include <snappy.h>

#include <algorithm>
#include <cstdint>

#include "base/check.h"
#include "base/compress/compress.h"

namespace flarestack::base {
namespace {

void AppendLittleEndian(uint32_t number, int bytes, std::string* out) {
  for (int i = 0; i < bytes; ++i)
    out->push_back(static_cast<char>(number >> (8 * i)));
}

}  // namespace

std::string SnappyBlock(std::string_view bytes) {
  std::string out;
  snappy::Compress(bytes.data(), bytes.size(), &out);
  return out;
}

std::string SnappyFrames(std::string_view bytes) {
  constexpr size_t kChunkDataBytesMax = 65536;
  std::string out("\xff\x06\x00\x00sNaPpY", 10);
  while (!bytes.empty()) {
    const std::string_view data = bytes.substr(0, kChunkDataBytesMax);
    bytes.remove_prefix(data.size());
    const std::string packed = SnappyBlock(data);
    const bool is_smaller = packed.size() < data.size();
    const std::string_view body = is_smaller ? std::string_view(packed) : data;
    out.push_back(is_smaller ? '\x00' : '\x01');
    AppendLittleEndian(static_cast<uint32_t>(body.size() + 4), 3, &out);
    AppendLittleEndian(MaskedCrc32c(data), 4, &out);
    out += body;
  }
  return out;
}

std::string Lz4(std::string_view bytes) {
  LZ4F_preferences_t preferences = {};
  preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  std::string out(LZ4F_compressFrameBound(bytes.size(), &preferences), '\0');
  const size_t size =
      LZ4F_compressFrame(out.data(), out.size(), bytes.data(), bytes.size(), &preferences);
  FLARE_CHECK(LZ4F_isError(size) == 0, LZ4F_getErrorName(size));
  out.resize(size);
  return out;
}

}  // namespace flarestack::base
