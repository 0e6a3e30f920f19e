// SPDX-License-Identifier: Apache-2.0
//
// Whole-buffer compression with a cap on what comes out, so that a small file cannot become all of
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace flarestack::base {

bool LooksLikeGzip(std::string_view bytes);
bool LooksLikeZstd(std::string_view bytes);

struct ExpandLimits {
  uint64_t bytes_max = 0;
  // Asked before the output grows to so many bytes, when set; a no ends the work with kUnavailable.
  std::function<bool(uint64_t bytes)> try_reserve;
};

// All members of a gzip file, joined. kResourceExhausted when more than `bytes_max` would come out,
// kInvalidArgument with the byte offset of the bad member otherwise.
absl::StatusOr<std::string> Gunzip(std::string_view bytes, const ExpandLimits& limits);
absl::StatusOr<std::string> Gunzip(std::string_view bytes, uint64_t bytes_max);

// All frames of a zstd file, joined; the same errors.
absl::StatusOr<std::string> Unzstd(std::string_view bytes, const ExpandLimits& limits);
absl::StatusOr<std::string> Unzstd(std::string_view bytes, uint64_t bytes_max);

// What HTTP calls "deflate": a zlib stream as the standard says, or bare deflate data as some
// senders understood it. The same errors.
absl::StatusOr<std::string> Inflate(std::string_view bytes, const ExpandLimits& limits);

// One member without name or time, so that the same input gives the same bytes. Large input is
// compressed in pieces of a fixed size on all cores.
std::string Gzip(std::string_view bytes);
// The same in half the time, a few hundredths larger: for those who wait for it.
std::string GzipQuickly(std::string_view bytes);

// One member of pieces that are made and compressed on all cores, so that neither the input nor the
// output is ever held whole. Pieces of about kGzipPieceBytes compress as well as the whole would,
// but for one or two percent. The bytes depend on the pieces alone, not on the number of cores.
inline constexpr size_t kGzipPieceBytes = size_t{1} << 20;
enum class GzipLevel { kNormal, kQuick };
using TakeBytes = absl::FunctionRef<void(std::string_view)>;
struct GzipSource {
  size_t piece_count = 0;
  // Hands a piece to `take`, once. Called on several threads, in no particular order.
  absl::FunctionRef<void(size_t piece, TakeBytes take)> make;
};
// `write` is called on the calling thread, in order; an error of it ends the work.
absl::Status GzipPieces(const GzipSource& source, GzipLevel level,
                        absl::FunctionRef<absl::Status(std::string_view)> write);

std::string Zstd(std::string_view bytes);

// For many small frames, whose lengths are kept elsewhere: at the quickest level, with memory that
// each thread keeps. The frame replaces `frame`; false when it would not be smaller than `bytes`.
bool ZstdQuickly(std::string_view bytes, std::string* frame);

// Fills `out`; false when the frame is broken or of another size.
bool UnzstdInto(std::string_view frame, std::span<char> out);

// A zlib stream.
std::string Deflate(std::string_view bytes);

// The checksum of gzip and of .gnu_debuglink.
uint32_t Crc32(std::string_view bytes);

}  // namespace flarestack::base
