// SPDX-License-Identifier: Apache-2.0
#include "base/compress/compress.h"

#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "absl/status/status.h"
#include "base/check.h"
#include "base/compress/compress_limits.h"
#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::base {
namespace {

constexpr int kDeflateLevel = 6;
constexpr int kZstdLevel = 3;
constexpr int kZstdQuickLevel = 1;

struct DeflateFree {
  void operator()(libdeflate_decompressor* p) const { libdeflate_free_decompressor(p); }
  void operator()(libdeflate_compressor* p) const { libdeflate_free_compressor(p); }
};
using Inflater = std::unique_ptr<libdeflate_decompressor, DeflateFree>;

struct ZstdFree {
  void operator()(ZSTD_CCtx* p) const { ZSTD_freeCCtx(p); }
  void operator()(ZSTD_DCtx* p) const { ZSTD_freeDCtx(p); }
};

// The common signature of libdeflate's functions for gzip, zlib and raw deflate data.
using InflateFunction = libdeflate_result (*)(libdeflate_decompressor*, const void*, size_t, void*,
                                              size_t, size_t*, size_t*);

uint64_t BlindGuessBytes(std::string_view member) {
  return std::max<uint64_t>(member.size() * 4, kFirstExpandBytes);
}

// The last four bytes of a file are the size of its last member, if that is below 4 GiB. Nearly
// every file has one member, so this guess is usually right. Deflate cannot exceed a ratio of 1032
// to 1.
uint64_t GuessInflatedBytes(std::string_view member) {
  constexpr uint64_t kRatioMax = 1032;
  uint64_t size = 0;
  for (size_t i = 0; i < 4 && member.size() >= 4; ++i) {
    size |= uint64_t{static_cast<uint8_t>(member[member.size() - 4 + i])} << (8 * i);
  }
  const bool is_plausible = size >= member.size() / 2 && size <= member.size() * kRatioMax;
  return is_plausible ? size + 1 : BlindGuessBytes(member);
}

class MemberInflater {
 public:
  MemberInflater(InflateFunction inflate, const ExpandLimits& limits)
      : inflate_(inflate), limits_(limits), state_(libdeflate_alloc_decompressor()) {
    FLARE_CHECK(state_ != nullptr);
  }

  // Inflates the member at the start of `member` and appends the result to `out`. Returns the
  // number of bytes consumed. libdeflate needs the output buffer up front, so the buffer doubles
  // until the member fits or the cap is reached.
  absl::StatusOr<size_t> Append(std::string_view member, uint64_t first_room, std::string* out) {
    const size_t start = out->size();
    const uint64_t room_max = limits_.bytes_max - start;
    uint64_t room = std::min(room_max, first_room);
    while (true) {
      FLARE_RETURN_IF_ERROR(Reserve(limits_, start + room));
      out->resize(start + room);
      size_t in_bytes = 0;
      size_t out_bytes = 0;
      const libdeflate_result result = inflate_(state_.get(), member.data(), member.size(),
                                                out->data() + start, room, &in_bytes, &out_bytes);
      if (result == LIBDEFLATE_SUCCESS) {
        out->resize(start + out_bytes);
        return in_bytes;
      }
      if (result != LIBDEFLATE_INSUFFICIENT_SPACE) {
        return absl::InvalidArgumentError("invalid or truncated gzip data");
      }
      if (room == room_max) {
        return TooLarge(limits_.bytes_max);
      }
      room = std::min(room_max, room * 2);
    }
  }

 private:
  const InflateFunction inflate_;
  const ExpandLimits& limits_;
  const Inflater state_;
};

// RFC 1950: method 8, and a check that the first two bytes are a multiple of 31.
bool LooksLikeZlib(std::string_view bytes) {
  if (bytes.size() < 2)
    return false;
  const unsigned first = static_cast<uint8_t>(bytes[0]);
  const unsigned second = static_cast<uint8_t>(bytes[1]);
  return (first & 0x0f) == 8 && (first << 8 | second) % 31 == 0;
}

absl::StatusOr<std::string> InflateWhole(InflateFunction inflate, std::string_view bytes,
                                         const ExpandLimits& limits) {
  std::string out;
  FLARE_ASSIGN(const size_t taken,
               MemberInflater(inflate, limits).Append(bytes, BlindGuessBytes(bytes), &out));
  if (taken != bytes.size())
    return absl::InvalidArgumentError(
        StrCat("trailing garbage after deflate data at byte ", taken));
  out.shrink_to_fit();
  return out;
}

}  // namespace

bool LooksLikeGzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

bool LooksLikeZstd(std::string_view bytes) { return bytes.starts_with("\x28\xb5\x2f\xfd"); }

absl::StatusOr<std::string> Gunzip(std::string_view bytes, uint64_t bytes_max) {
  return Gunzip(bytes, ExpandLimits{.bytes_max = bytes_max});
}

absl::StatusOr<std::string> Gunzip(std::string_view bytes, const ExpandLimits& limits) {
  MemberInflater inflater(libdeflate_gzip_decompress_ex, limits);
  std::string out;
  size_t offset = 0;
  while (offset < bytes.size()) {
    const std::string_view rest = bytes.substr(offset);
    if (offset > 0 && !LooksLikeGzip(rest)) {
      // Like gzip, ignore zero padding after a member and reject anything else.
      if (rest.find_first_not_of('\0') == std::string_view::npos)
        break;
      return absl::InvalidArgumentError(
          StrCat("gzip member at byte ", offset, ": invalid or truncated gzip data"));
    }
    auto taken = inflater.Append(rest, GuessInflatedBytes(rest), &out);
    if (!taken.ok()) {
      return WithContext(StrCat("gzip member at byte ", offset), taken.status());
    }
    offset += *taken;
  }
  out.shrink_to_fit();
  return out;
}

absl::StatusOr<std::string> Inflate(std::string_view bytes, const ExpandLimits& limits) {
  if (LooksLikeZlib(bytes)) {
    auto inflated = InflateWhole(libdeflate_zlib_decompress_ex, bytes, limits);
    // Raw deflate data can look like a zlib stream by chance.
    if (inflated.ok() || inflated.status().code() != absl::StatusCode::kInvalidArgument)
      return inflated;
  }
  auto inflated = InflateWhole(libdeflate_deflate_decompress_ex, bytes, limits);
  if (inflated.status().code() == absl::StatusCode::kInvalidArgument)
    return absl::InvalidArgumentError("invalid or truncated deflate data");
  return inflated;
}

absl::StatusOr<std::string> Unzstd(std::string_view bytes, uint64_t bytes_max) {
  return Unzstd(bytes, ExpandLimits{.bytes_max = bytes_max});
}

absl::StatusOr<std::string> Unzstd(std::string_view bytes, const ExpandLimits& limits) {
  const uint64_t bytes_max = limits.bytes_max;
  const std::unique_ptr<ZSTD_DCtx, ZstdFree> context(ZSTD_createDCtx());
  FLARE_CHECK(context != nullptr);
  std::string out;
  ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
  size_t pending = 0;  // 0 after a complete frame
  while (in.pos < in.size || pending != 0) {
    if (pending == 0 && ZstdWindowIsTooLarge(bytes.substr(in.pos))) {
      return absl::InvalidArgumentError(
          StrCat("zstd data at byte ", in.pos, ": the frame has a window of more than ",
                 kZstdWindowBytesMax >> 20, " MiB; compress without --long and --ultra"));
    }
    const size_t start = out.size();
    const uint64_t room =
        std::min<uint64_t>(bytes_max - start, std::max<uint64_t>(start, kFirstExpandBytes));
    FLARE_RETURN_IF_ERROR(Reserve(limits, start + room));
    out.resize(start + room);
    // At the cap, request one more byte to see whether the data ends there or exceeds it. The byte
    // has a separate buffer, because growing the string by one byte could double it.
    char beyond_cap = 0;
    ZSTD_outBuffer to = {out.data() + start, room, 0};
    if (room == 0)
      to = {&beyond_cap, 1, 0};
    const size_t in_before = in.pos;
    pending = ZSTD_decompressStream(context.get(), &to, &in);
    if (ZSTD_isError(pending) != 0) {
      return absl::InvalidArgumentError(
          StrCat("zstd data at byte ", in.pos, ": ", ZSTD_getErrorName(pending)));
    }
    if (room == 0 && to.pos > 0)
      return TooLarge(bytes_max);
    out.resize(room == 0 ? start : start + to.pos);
    if (to.pos == 0 && in.pos == in_before) {
      break;
    }
  }
  if (pending != 0) {
    return absl::InvalidArgumentError(StrCat("zstd data is truncated at byte ", bytes.size()));
  }
  return out;
}

std::string Deflate(std::string_view bytes) {
  const std::unique_ptr<libdeflate_compressor, DeflateFree> deflater(
      libdeflate_alloc_compressor(kDeflateLevel));
  FLARE_CHECK(deflater != nullptr);
  std::string out(libdeflate_zlib_compress_bound(deflater.get(), bytes.size()), '\0');
  out.resize(
      libdeflate_zlib_compress(deflater.get(), bytes.data(), bytes.size(), out.data(), out.size()));
  FLARE_CHECK(!out.empty());
  return out;
}

uint32_t Crc32(std::string_view bytes) { return libdeflate_crc32(0, bytes.data(), bytes.size()); }

bool ZstdQuickly(std::string_view bytes, std::string* frame) {
  thread_local const std::unique_ptr<ZSTD_CCtx, ZstdFree> context(ZSTD_createCCtx());
  frame->resize(ZSTD_compressBound(bytes.size()));
  const size_t size = ZSTD_compressCCtx(context.get(), frame->data(), frame->size(), bytes.data(),
                                        bytes.size(), kZstdQuickLevel);
  if (ZSTD_isError(size) != 0 || size >= bytes.size())
    return false;
  frame->resize(size);
  return true;
}

bool UnzstdInto(std::string_view frame, std::span<char> out) {
  thread_local const std::unique_ptr<ZSTD_DCtx, ZstdFree> context(ZSTD_createDCtx());
  return ZSTD_decompressDCtx(context.get(), out.data(), out.size(), frame.data(), frame.size()) ==
         out.size();
}

std::string Zstd(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kZstdLevel);
  FLARE_CHECK(ZSTD_isError(size) == 0, ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}

}  // namespace flarestack::base
