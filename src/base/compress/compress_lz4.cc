// SPDX-License-Identifier: Apache-2.0
#include "base/compress/compress.h"

#include <lz4frame.h>

#include <algorithm>
#include <memory>

#include "absl/status/status.h"
#include "base/check.h"
#include "base/compress/compress_limits.h"
#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::base {
namespace {

struct Lz4Free {
  void operator()(LZ4F_dctx* p) const { LZ4F_freeDecompressionContext(p); }
};
using Lz4Context = std::unique_ptr<LZ4F_dctx, Lz4Free>;

Lz4Context NewContext() {
  LZ4F_dctx* context = nullptr;
  FLARE_CHECK(LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)) == 0);
  return Lz4Context(context);
}

}  // namespace

bool LooksLikeLz4(std::string_view bytes) { return bytes.starts_with("\x04\x22\x4d\x18"); }

absl::StatusOr<std::string> Unlz4(std::string_view bytes, const ExpandLimits& limits) {
  const Lz4Context context = NewContext();
  std::string out;
  size_t at = 0;
  size_t pending = 0;  // 0 after a complete frame
  while (at < bytes.size() || pending != 0) {
    const size_t start = out.size();
    const uint64_t room =
        std::min<uint64_t>(limits.bytes_max - start, std::max<uint64_t>(start, kFirstExpandBytes));
    FLARE_RETURN_IF_ERROR(Reserve(limits, start + room));
    out.resize(start + room);
    // At the cap, request one more byte to see whether the data ends there or exceeds it. The byte
    // has a separate buffer, because growing the string by one byte could double it.
    char beyond_cap = 0;
    size_t out_bytes = room == 0 ? 1 : room;
    size_t in_bytes = bytes.size() - at;
    pending = LZ4F_decompress(context.get(), room == 0 ? &beyond_cap : out.data() + start,
                              &out_bytes, bytes.data() + at, &in_bytes, nullptr);
    if (LZ4F_isError(pending) != 0)
      return absl::InvalidArgumentError(
          StrCat("lz4 data at byte ", at, ": ", LZ4F_getErrorName(pending)));
    if (room == 0 && out_bytes > 0)
      return TooLarge(limits.bytes_max);
    out.resize(room == 0 ? start : start + out_bytes);
    at += in_bytes;
    if (out_bytes == 0 && in_bytes == 0)
      break;
  }
  if (pending != 0)
    return absl::InvalidArgumentError(StrCat("lz4 data is truncated at byte ", bytes.size()));
  out.shrink_to_fit();
  return out;
}

}  // namespace flarestack::base
