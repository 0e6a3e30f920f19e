// SPDX-License-Identifier: Apache-2.0
#include "base/compress/compress_measure.h"

#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "base/check.h"
#include "base/compress/compress.h"
#include "base/compress/compress_limits.h"

namespace flarestack::base {
namespace {

constexpr size_t kScratchBytes = 64 << 10;
constexpr size_t kFeedBytes = 1 << 20;  // zlib counts in 32 bits

// The window-bits arguments of zlib's inflateInit2().
constexpr int kZlibFormat = MAX_WBITS;
constexpr int kBareFormat = -MAX_WBITS;
constexpr int kGzipFormat = MAX_WBITS + 16;

enum class Measure { kFits, kExceeds, kDamaged };

// Measures consecutive streams of one format.
class InflatedSize {
 public:
  explicit InflatedSize(int format) {
    FLARE_CHECK(inflateInit2(&state_, format) == Z_OK, "zlib has no memory");
  }
  ~InflatedSize() { inflateEnd(&state_); }
  InflatedSize(const InflatedSize&) = delete;
  InflatedSize& operator=(const InflatedSize&) = delete;

  Measure Compare(std::string_view packed, uint64_t bytes) {
    uint64_t total = 0;
    int result = Z_STREAM_END;
    while (!packed.empty()) {
      const auto feed = static_cast<uInt>(std::min(packed.size(), kFeedBytes));
      // zlib does not write to its input, but without ZLIB_CONST the pointer is not const.
      state_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
      state_.avail_in = feed;
      state_.next_out = scratch_.get();
      state_.avail_out = kScratchBytes;
      result = inflate(&state_, Z_NO_FLUSH);
      total += kScratchBytes - state_.avail_out;
      if (total > bytes)
        return Measure::kExceeds;
      packed.remove_prefix(feed - state_.avail_in);
      // zlib may still hold output when all input is consumed.
      const bool is_full = state_.avail_out == 0;
      if ((result != Z_OK && result != Z_STREAM_END) ||
          (result == Z_STREAM_END && inflateReset(&state_) != Z_OK))
        return Measure::kDamaged;
      if (packed.empty() && result == Z_OK && is_full)
        return Drain(bytes - total);
    }
    return result == Z_STREAM_END ? Measure::kFits : Measure::kDamaged;
  }

 private:
  // Measures the output that zlib still holds when all input is consumed.
  Measure Drain(uint64_t bytes) {
    uint64_t total = 0;
    int result = Z_OK;
    do {
      state_.avail_in = 0;
      state_.next_out = scratch_.get();
      state_.avail_out = kScratchBytes;
      result = inflate(&state_, Z_NO_FLUSH);
      total += kScratchBytes - state_.avail_out;
      if (total > bytes)
        return Measure::kExceeds;
    } while (result == Z_OK && state_.avail_out == 0);
    return result == Z_STREAM_END ? Measure::kFits : Measure::kDamaged;
  }

  z_stream state_ = {};
  const std::unique_ptr<Bytef[]> scratch_ = std::make_unique<Bytef[]>(kScratchBytes);
};

struct ContextFree {
  void operator()(ZSTD_DCtx* p) const { ZSTD_freeDCtx(p); }
  void operator()(LZ4F_dctx* p) const { LZ4F_freeDecompressionContext(p); }
};

}  // namespace

bool GzipExceeds(std::string_view packed, uint64_t bytes) {
  return InflatedSize(kGzipFormat).Compare(packed, bytes) == Measure::kExceeds;
}

bool DeflateExceeds(std::string_view packed, uint64_t bytes) {
  Measure measure = InflatedSize(kZlibFormat).Compare(packed, bytes);
  if (measure == Measure::kDamaged)
    measure = InflatedSize(kBareFormat).Compare(packed, bytes);
  return measure == Measure::kExceeds;
}

bool ZstdExceeds(std::string_view packed, uint64_t bytes) {
  const std::unique_ptr<ZSTD_DCtx, ContextFree> context(ZSTD_createDCtx());
  FLARE_CHECK(context != nullptr);
  std::string scratch(kScratchBytes, '\0');
  ZSTD_inBuffer in = {packed.data(), packed.size(), 0};
  uint64_t total = 0;
  size_t pending = 0;  // 0 after a complete frame
  while (true) {
    if (pending == 0 && ZstdWindowIsTooLarge(packed.substr(in.pos)))
      return false;
    ZSTD_outBuffer out = {scratch.data(), scratch.size(), 0};
    const size_t in_before = in.pos;
    pending = ZSTD_decompressStream(context.get(), &out, &in);
    total += out.pos;
    if (total > bytes)
      return true;
    if (ZSTD_isError(pending) != 0 || (out.pos == 0 && in.pos == in_before) ||
        (pending == 0 && in.pos == in.size))
      return false;
  }
}

bool Lz4Exceeds(std::string_view packed, uint64_t bytes) {
  LZ4F_dctx* raw = nullptr;
  FLARE_CHECK(LZ4F_isError(LZ4F_createDecompressionContext(&raw, LZ4F_VERSION)) == 0);
  const std::unique_ptr<LZ4F_dctx, ContextFree> context(raw);
  std::string scratch(kScratchBytes, '\0');
  uint64_t total = 0;
  while (true) {
    size_t out_bytes = scratch.size();
    size_t in_bytes = packed.size();
    const size_t pending = LZ4F_decompress(context.get(), scratch.data(), &out_bytes, packed.data(),
                                           &in_bytes, nullptr);
    if (LZ4F_isError(pending) != 0)
      return false;
    total += out_bytes;
    if (total > bytes)
      return true;
    packed.remove_prefix(in_bytes);
    if ((out_bytes == 0 && in_bytes == 0) || (pending == 0 && packed.empty()))
      return false;
  }
}

// Both formats state their size up front, and the decoder compares it with the cap first.
bool SnappyExceeds(std::string_view packed, uint64_t bytes) {
  const ExpandLimits limits = {.bytes_max = bytes, .try_reserve = [](uint64_t) { return false; }};
  return Unsnappy(packed, limits).status().code() == absl::StatusCode::kResourceExhausted;
}

}  // namespace flarestack::base
