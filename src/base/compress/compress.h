// SPDX-License-Identifier: Apache-2.0
//
// Whole-buffer compression and decompression. The output size is capped, so that a small file
// cannot fill all memory.
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
  // If set, called before the output grows to `bytes`. If it returns false, decompression stops
  // with kUnavailable.
  std::function<bool(uint64_t bytes)> try_reserve;
};

// Expands all members of a gzip file and joins them. Returns kResourceExhausted if the output would
// exceed `bytes_max`, and kInvalidArgument with the byte offset of the member if one is invalid.
absl::StatusOr<std::string> Gunzip(std::string_view bytes, const ExpandLimits& limits);
absl::StatusOr<std::string> Gunzip(std::string_view bytes, uint64_t bytes_max);

// Expands all frames of a zstd file and joins them. Returns the same errors.
absl::StatusOr<std::string> Unzstd(std::string_view bytes, const ExpandLimits& limits);
absl::StatusOr<std::string> Unzstd(std::string_view bytes, uint64_t bytes_max);

// Expands HTTP's "deflate": a zlib stream as the standard says, or raw deflate data as some senders
// interpret it. Returns the same errors.
absl::StatusOr<std::string> Inflate(std::string_view bytes, const ExpandLimits& limits);

// Writes one member without name or time, so that the same input gives the same bytes. Large input
// is compressed in fixed-size pieces on all cores.
std::string Gzip(std::string_view bytes);
// Takes half the time and is a few percent larger. For output that a user is waiting for.
std::string GzipQuickly(std::string_view bytes);

// Writes one member from pieces that are produced and compressed on all cores, so that neither
// input nor output is ever in memory as a whole. Pieces of about kGzipPieceBytes compress within
// one or two percent of the whole. The bytes depend only on the pieces, not on the number of cores.
inline constexpr size_t kGzipPieceBytes = size_t{1} << 20;
enum class GzipLevel { kNormal, kQuick };
using TakeBytes = absl::FunctionRef<void(std::string_view)>;
struct GzipSource {
  size_t piece_count = 0;
  // Passes a piece to `take`, once. Called on several threads, in no particular order.
  absl::FunctionRef<void(size_t piece, TakeBytes take)> make;
};
// Calls `write` on the calling thread, in order. Stops at the first error from `write`.
absl::Status GzipPieces(const GzipSource& source, GzipLevel level,
                        absl::FunctionRef<absl::Status(std::string_view)> write);

std::string Zstd(std::string_view bytes);

// For many small frames whose lengths are stored elsewhere. Uses the fastest level and per-thread
// memory. Replaces `frame`; returns false if the frame would not be smaller than `bytes`.
bool ZstdQuickly(std::string_view bytes, std::string* frame);

// Fills `out`. Returns false if the frame is corrupt or has a different size.
bool UnzstdInto(std::string_view frame, std::span<char> out);

// A zlib stream.
std::string Deflate(std::string_view bytes);

// The checksum of gzip and of .gnu_debuglink.
uint32_t Crc32(std::string_view bytes);

// The LZ4 frame format, which begins with a magic number. Raw LZ4 blocks do not store their length
// and are not supported.
bool LooksLikeLz4(std::string_view bytes);

// Expands all frames and joins them. Returns the same errors as Gunzip().
absl::StatusOr<std::string> Unlz4(std::string_view bytes, const ExpandLimits& limits);

// Snappy in both formats: a raw block, and the framed stream of framing_format.txt with a checksum
// per chunk. The framed format begins with a stream identifier, the raw one with a length.
bool LooksLikeFramedSnappy(std::string_view bytes);

// Both return the same errors as Gunzip(). If the data does not match its stated length, they
// return kInvalidArgument without allocating that length.
absl::StatusOr<std::string> UnsnappyBlock(std::string_view bytes, const ExpandLimits& limits);
absl::StatusOr<std::string> UnsnappyFrames(std::string_view bytes, const ExpandLimits& limits);

// Either format, recognized by its first bytes.
absl::StatusOr<std::string> Unsnappy(std::string_view bytes, const ExpandLimits& limits);

// The checksum of the framed format.
uint32_t MaskedCrc32c(std::string_view bytes);

}  // namespace flarestack::base
