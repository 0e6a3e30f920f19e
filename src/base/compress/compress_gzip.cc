// SPDX-License-Identifier: Apache-2.0
//
// gzip on all cores. Each piece is compressed to separate deflate data. Every piece except the last
// has its final-block bit cleared, and an empty stored block pads it to a byte boundary. So the
// pieces form one member, which every reader accepts; some readers ignore or reject further
// members.
#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "base/check.h"
#include "base/compress/compress.h"
#include "base/compress/deflate_end.h"
#include "base/helper_pool.h"
#include "base/status.h"

namespace flarestack::base {
namespace {

constexpr int kNormalLevel = 6;
constexpr int kQuickLevel = 1;

int LevelNumber(GzipLevel level) { return level == GzipLevel::kQuick ? kQuickLevel : kNormalLevel; }

struct CompressorFree {
  void operator()(libdeflate_compressor* p) const { libdeflate_free_compressor(p); }
};
using Compressor = std::unique_ptr<libdeflate_compressor, CompressorFree>;

Compressor MakeCompressor(GzipLevel level) {
  Compressor compressor(libdeflate_alloc_compressor(LevelNumber(level)));
  FLARE_CHECK(compressor != nullptr);
  return compressor;
}

// For small input.
std::string GzipWhole(std::string_view bytes, GzipLevel level) {
  const Compressor compressor = MakeCompressor(level);
  std::string out(libdeflate_gzip_compress_bound(compressor.get(), bytes.size()), '\0');
  out.resize(libdeflate_gzip_compress(compressor.get(), bytes.data(), bytes.size(), out.data(),
                                      out.size()));
  FLARE_CHECK(!out.empty());
  return out;
}

struct PackedPiece {
  std::string bytes;
  uint32_t checksum = 0;  // of the uncompressed bytes
  uint64_t size_bytes = 0;
};

// Turns complete deflate data into data that can be continued. libdeflate leaves the unused bits of
// the last byte zero, and these begin the header of the stored block.
void OpenEnd(std::string* deflated) {
  const std::optional<DeflateEnd> end = FindDeflateEnd(*deflated);
  FLARE_CHECK(end.has_value());
  char& last_block = (*deflated)[end->last_block_bit / 8];
  last_block = static_cast<char>(last_block & ~(1 << (end->last_block_bit % 8)));
  constexpr uint64_t kHeaderBits = 3;
  deflated->resize((end->end_bit + kHeaderBits + 7) / 8, '\0');
  deflated->append("\x00\x00\xff\xff", 4);  // length 0 and its complement
}

PackedPiece Pack(std::string_view bytes, GzipLevel level, bool is_last) {
  const Compressor compressor = MakeCompressor(level);
  PackedPiece piece;
  piece.size_bytes = bytes.size();
  piece.checksum = libdeflate_crc32(0, bytes.data(), bytes.size());
  piece.bytes.resize(libdeflate_deflate_compress_bound(compressor.get(), bytes.size()));
  piece.bytes.resize(libdeflate_deflate_compress(compressor.get(), bytes.data(), bytes.size(),
                                                 piece.bytes.data(), piece.bytes.size()));
  FLARE_CHECK(!piece.bytes.empty());
  if (!is_last)
    OpenEnd(&piece.bytes);
  piece.bytes.shrink_to_fit();
  return piece;
}

std::string Header(GzipLevel level) {
  std::string header("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", 10);
  if (level == GzipLevel::kQuick)
    header[8] = 4;  // "fastest algorithm"
  return header;
}

void AppendLittleEndian(uint32_t number, std::string* out) {
  for (int i = 0; i < 4; ++i)
    out->push_back(static_cast<char>(number >> (8 * i)));
}

std::string GzipLarge(std::string_view bytes, GzipLevel level) {
  std::string out;
  const absl::Status status =
      GzipPieces({.piece_count = (bytes.size() + kGzipPieceBytes - 1) / kGzipPieceBytes,
                  .make =
                      [&](size_t piece, TakeBytes take) {
                        take(bytes.substr(piece * kGzipPieceBytes, kGzipPieceBytes));
                      }},
                 level, [&](std::string_view packed) {
                   out += packed;
                   return absl::OkStatus();
                 });
  FLARE_CHECK(status.ok());
  return out;
}

}  // namespace

absl::Status GzipPieces(const GzipSource& source, GzipLevel level,
                        absl::FunctionRef<absl::Status(std::string_view)> write) {
  // A round is the set of pieces in memory at one time. Its size does not affect the output.
  const size_t round_size = size_t{4} * std::max(1U, std::thread::hardware_concurrency());
  const size_t count = std::max<size_t>(source.piece_count, 1);
  uLong checksum = crc32(0, nullptr, 0);
  uint64_t size_bytes = 0;
  FLARE_RETURN_IF_ERROR(write(Header(level)));
  std::vector<PackedPiece> round;
  for (size_t begin = 0; begin < count; begin += round_size) {
    round.assign(std::min(round_size, count - begin), {});
    FLARE_RETURN_IF_ERROR(ParallelFor(round.size(), [&](size_t i) {
      const bool is_last = begin + i + 1 == count;
      const auto pack = [&](std::string_view bytes) { round[i] = Pack(bytes, level, is_last); };
      source.piece_count == 0 ? pack({}) : source.make(begin + i, pack);
      return absl::OkStatus();
    }));
    for (const PackedPiece& piece : round) {
      checksum = crc32_combine(checksum, piece.checksum, static_cast<z_off_t>(piece.size_bytes));
      size_bytes += piece.size_bytes;
      FLARE_RETURN_IF_ERROR(write(piece.bytes));
    }
  }
  std::string trailer;
  AppendLittleEndian(static_cast<uint32_t>(checksum), &trailer);
  AppendLittleEndian(static_cast<uint32_t>(size_bytes), &trailer);
  return write(trailer);
}

std::string Gzip(std::string_view bytes) {
  return bytes.size() > kGzipPieceBytes ? GzipLarge(bytes, GzipLevel::kNormal)
                                        : GzipWhole(bytes, GzipLevel::kNormal);
}

std::string GzipQuickly(std::string_view bytes) {
  return bytes.size() > kGzipPieceBytes ? GzipLarge(bytes, GzipLevel::kQuick)
                                        : GzipWhole(bytes, GzipLevel::kQuick);
}

}  // namespace flarestack::base
