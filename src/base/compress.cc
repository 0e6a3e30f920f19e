// SPDX-License-Identifier: Apache-2.0
#include "base/compress.h"

#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "absl/status/status.h"
#include "base/check.h"
#include "base/status.h"
#include "base/text.h"

namespace flarestack::base {
namespace {

constexpr int kGzipLevel = 6;
constexpr int kZstdLevel = 3;
constexpr size_t kFirstGuessBytes = 64 << 10;

absl::Status TooLarge(uint64_t bytes_max) {
  return absl::ResourceExhaustedError(
      StrCat("decompressed data is larger than the limit of ", bytes_max, " bytes"));
}

struct DeflateFree {
  void operator()(libdeflate_decompressor* p) const { libdeflate_free_decompressor(p); }
  void operator()(libdeflate_compressor* p) const { libdeflate_free_compressor(p); }
};
using Inflater = std::unique_ptr<libdeflate_decompressor, DeflateFree>;

struct ZstdFree {
  void operator()(ZSTD_DCtx* p) const { ZSTD_freeDCtx(p); }
};

// The last four bytes of a file are the size of its last member, if it is below 4 GiB. Nearly every
// file has one member, so this is mostly right; deflate cannot do better than 1032 to 1.
uint64_t GuessInflatedBytes(std::string_view member) {
  constexpr uint64_t kRatioMax = 1032;
  uint64_t size = 0;
  for (size_t i = 0; i < 4 && member.size() >= 4; ++i) {
    size |= uint64_t{static_cast<uint8_t>(member[member.size() - 4 + i])} << (8 * i);
  }
  const bool is_plausible = size >= member.size() / 2 && size <= member.size() * kRatioMax;
  return is_plausible ? size + 1 : std::max<uint64_t>(member.size() * 4, kFirstGuessBytes);
}

// Inflates the member at the start of `member` behind what `out` holds; answers how many bytes it
// took. libdeflate wants the room up front: the output grows by doubling until the member fits or
// the cap is met.
absl::StatusOr<size_t> InflateMember(libdeflate_decompressor* inflater, std::string_view member,
                                     uint64_t bytes_max, std::string* out) {
  const size_t start = out->size();
  const uint64_t room_max = bytes_max - start;
  uint64_t room = std::min(room_max, GuessInflatedBytes(member));
  while (true) {
    out->resize(start + room);
    size_t in_bytes = 0;
    size_t out_bytes = 0;
    const libdeflate_result result = libdeflate_gzip_decompress_ex(
        inflater, member.data(), member.size(), out->data() + start, room, &in_bytes, &out_bytes);
    if (result == LIBDEFLATE_SUCCESS) {
      out->resize(start + out_bytes);
      return in_bytes;
    }
    if (result != LIBDEFLATE_INSUFFICIENT_SPACE) {
      return absl::InvalidArgumentError("not valid gzip data, or cut short");
    }
    if (room == room_max) {
      return TooLarge(bytes_max);
    }
    room = std::min(room_max, room * 2);
  }
}

}  // namespace

bool LooksLikeGzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

bool LooksLikeZstd(std::string_view bytes) { return bytes.starts_with("\x28\xb5\x2f\xfd"); }

absl::StatusOr<std::string> Gunzip(std::string_view bytes, uint64_t bytes_max) {
  const Inflater inflater(libdeflate_alloc_decompressor());
  FLARE_CHECK(inflater != nullptr);
  std::string out;
  size_t offset = 0;
  while (offset < bytes.size()) {
    const std::string_view rest = bytes.substr(offset);
    if (offset > 0 && !LooksLikeGzip(rest)) {
      // gzip itself ignores zero padding behind a member and complains about anything else.
      if (rest.find_first_not_of('\0') == std::string_view::npos)
        break;
      return absl::InvalidArgumentError(
          StrCat("gzip member at byte ", offset, ": not valid gzip data, or cut short"));
    }
    auto taken = InflateMember(inflater.get(), rest, bytes_max, &out);
    if (!taken.ok()) {
      return Under(StrCat("gzip member at byte ", offset), taken.status());
    }
    offset += *taken;
  }
  out.shrink_to_fit();
  return out;
}

absl::StatusOr<std::string> Unzstd(std::string_view bytes, uint64_t bytes_max) {
  const std::unique_ptr<ZSTD_DCtx, ZstdFree> context(ZSTD_createDCtx());
  FLARE_CHECK(context != nullptr);
  std::string out;
  ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
  size_t pending = 0;  // 0 after a whole frame
  while (in.pos < in.size || pending != 0) {
    const size_t start = out.size();
    const uint64_t room =
        std::min<uint64_t>(bytes_max - start, std::max<uint64_t>(start, kFirstGuessBytes));
    out.resize(start + room);
    // At the cap one byte more is asked for, to tell reaching it from ending on it. It has a place
    // of its own: growing the string by one byte could double it.
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
    return absl::InvalidArgumentError(StrCat("zstd data is cut short at byte ", bytes.size()));
  }
  return out;
}

std::string Gzip(std::string_view bytes) {
  const std::unique_ptr<libdeflate_compressor, DeflateFree> deflater(
      libdeflate_alloc_compressor(kGzipLevel));
  FLARE_CHECK(deflater != nullptr);
  std::string out(libdeflate_gzip_compress_bound(deflater.get(), bytes.size()), '\0');
  out.resize(
      libdeflate_gzip_compress(deflater.get(), bytes.data(), bytes.size(), out.data(), out.size()));
  FLARE_CHECK(!out.empty());
  return out;
}

std::string Zstd(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kZstdLevel);
  FLARE_CHECK(ZSTD_isError(size) == 0, ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}

}  // namespace flarestack::base
