// SPDX-License-Identifier: Apache-2.0
#include "elf/debug_files/xz.h"

#include <lzma.h>

#include <algorithm>

#include "absl/status/status.h"
#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::elf {
namespace {

using base::StrCat;

constexpr uint64_t kFirstRoomBytes = 64 << 10;
constexpr std::string_view kMagic("\xfd\x37\x7a\x58\x5a\x00", 6);

class Decoder {
 public:
  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { lzma_end(&stream_); }

  lzma_stream* operator->() { return &stream_; }
  lzma_stream* get() { return &stream_; }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

absl::Status Explain(lzma_ret result, const XzLimits& limits) {
  if (result == LZMA_MEMLIMIT_ERROR || result == LZMA_MEM_ERROR) {
    return absl::ResourceExhaustedError(
        StrCat("xz data that needs more than ", limits.memory_bytes_max, " bytes of memory"));
  }
  if (result == LZMA_OPTIONS_ERROR)
    return absl::InvalidArgumentError("xz data with unsupported options");
  return absl::InvalidArgumentError("invalid or truncated xz data");
}

}  // namespace

bool LooksLikeXz(std::string_view bytes) { return bytes.starts_with(kMagic); }

absl::StatusOr<std::string> Unxz(std::string_view bytes, const XzLimits& limits) {
  Decoder decoder;
  const lzma_ret started =
      lzma_stream_decoder(decoder.get(), limits.memory_bytes_max, LZMA_CONCATENATED);
  if (started != LZMA_OK)
    return Explain(started, limits);
  decoder->next_in = reinterpret_cast<const uint8_t*>(bytes.data());
  decoder->avail_in = bytes.size();
  std::string out;
  while (true) {
    // At the cap, allow one more byte to see whether the data ends there or exceeds it.
    const size_t start = out.size();
    const uint64_t room = std::max<uint64_t>(start, kFirstRoomBytes);
    out.resize(start + std::min(room, limits.bytes_max - start + 1));
    decoder->next_out = reinterpret_cast<uint8_t*>(out.data() + start);
    decoder->avail_out = out.size() - start;
    const lzma_ret result = lzma_code(decoder.get(), LZMA_FINISH);
    out.resize(out.size() - decoder->avail_out);
    if (out.size() > limits.bytes_max) {
      return absl::ResourceExhaustedError(
          StrCat("xz data is larger than the limit of ", limits.bytes_max, " bytes"));
    }
    if (result == LZMA_STREAM_END)
      return out;
    if (result != LZMA_OK)
      return Explain(result, limits);
  }
}

}  // namespace flarestack::elf
