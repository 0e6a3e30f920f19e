// SPDX-License-Identifier: Apache-2.0
#include "base/compress/compress.h"

#include <snappy.h>

#include <array>
#include <cstring>

#include "absl/status/status.h"
#include "base/compress/compress_limits.h"
#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::base {
namespace {

constexpr std::string_view kStreamIdentifier("\xff\x06\x00\x00sNaPpY", 10);
constexpr size_t kChunkHeadBytes = 4;
constexpr size_t kChecksumBytes = 4;
constexpr size_t kChunkDataBytesMax = 65536;

constexpr uint8_t kCompressedChunk = 0x00;
constexpr uint8_t kPlainChunk = 0x01;
constexpr uint8_t kFirstSkippableChunk = 0x80;
constexpr uint8_t kIdentifierChunk = 0xff;

// Slicing by 8: table[k][b] is the remainder of byte b followed by k zero bytes.
using Crc32cTables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Crc32cTables MakeCrc32cTables() {
  constexpr uint32_t kReversedPolynomial = 0x82f63b78;
  Crc32cTables tables = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit)
      remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? kReversedPolynomial : 0);
    tables[0][byte] = remainder;
  }
  for (size_t k = 1; k < tables.size(); ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Crc32cTables kCrc32cTables = MakeCrc32cTables();

uint32_t ReadLittleEndian(const char* at, size_t count) {
  uint32_t number = 0;
  for (size_t i = 0; i < count; ++i)
    number |= uint32_t{static_cast<uint8_t>(at[i])} << (8 * i);
  return number;
}

uint32_t Crc32c(std::string_view bytes) {
  const Crc32cTables& t = kCrc32cTables;
  uint32_t crc = 0xffffffff;
  while (bytes.size() >= 8) {
    const uint32_t low = crc ^ ReadLittleEndian(bytes.data(), 4);
    const uint32_t high = ReadLittleEndian(bytes.data() + 4, 4);
    crc = t[7][low & 0xff] ^ t[6][low >> 8 & 0xff] ^ t[5][low >> 16 & 0xff] ^ t[4][low >> 24] ^
          t[3][high & 0xff] ^ t[2][high >> 8 & 0xff] ^ t[1][high >> 16 & 0xff] ^ t[0][high >> 24];
    bytes.remove_prefix(8);
  }
  for (const char c : bytes)
    crc = (crc >> 8) ^ t[0][(crc ^ static_cast<uint8_t>(c)) & 0xff];
  return ~crc;
}

absl::Status Invalid(std::string_view what, size_t offset) {
  return absl::InvalidArgumentError(StrCat("snappy chunk at byte ", offset, ": ", what));
}

// A chunk that contains data. VisitDataChunks() skips all others.
struct DataChunk {
  bool is_compressed = false;
  size_t data_bytes = 0;  // uncompressed, at most kChunkDataBytesMax
  uint32_t checksum = 0;
  std::string_view body;  // after the checksum
  size_t offset = 0;      // in the stream, for error messages
};

absl::StatusOr<DataChunk> ReadDataChunk(uint8_t type, std::string_view body, size_t offset) {
  if (body.size() < kChecksumBytes)
    return Invalid("no checksum", offset);
  DataChunk chunk = {.is_compressed = type == kCompressedChunk,
                     .checksum = ReadLittleEndian(body.data(), kChecksumBytes),
                     .body = body.substr(kChecksumBytes),
                     .offset = offset};
  chunk.data_bytes = chunk.body.size();
  if (chunk.is_compressed &&
      !snappy::GetUncompressedLength(chunk.body.data(), chunk.body.size(), &chunk.data_bytes))
    return Invalid("no length", offset);
  if (chunk.data_bytes > kChunkDataBytesMax)
    return Invalid("more than 65536 bytes of data", offset);
  return chunk;
}

// Calls `visit(const DataChunk&)`, which returns an absl::Status, for each chunk with data.
template <typename Visit>
absl::Status VisitDataChunks(std::string_view bytes, Visit visit) {
  if (!LooksLikeFramedSnappy(bytes))
    return absl::InvalidArgumentError("no snappy stream identifier at byte 0");
  size_t at = 0;
  while (at < bytes.size()) {
    const size_t offset = at;
    if (bytes.size() - at < kChunkHeadBytes)
      return Invalid("truncated", offset);
    const auto type = static_cast<uint8_t>(bytes[at]);
    const size_t length = ReadLittleEndian(bytes.data() + at + 1, 3);
    at += kChunkHeadBytes;
    if (bytes.size() - at < length)
      return Invalid("truncated", offset);
    const std::string_view body = bytes.substr(at, length);
    at += length;
    if (type == kIdentifierChunk) {
      if (body != kStreamIdentifier.substr(kChunkHeadBytes))
        return Invalid("another stream identifier", offset);
    } else if (type == kCompressedChunk || type == kPlainChunk) {
      FLARE_ASSIGN(const DataChunk chunk, ReadDataChunk(type, body, offset));
      FLARE_RETURN_IF_ERROR(visit(chunk));
    } else if (type < kFirstSkippableChunk) {
      return Invalid(StrCat("reserved type ", int{type}), offset);
    }
  }
  return absl::OkStatus();
}

absl::Status DecodeChunk(const DataChunk& chunk, char* to) {
  if (!chunk.is_compressed) {
    std::memcpy(to, chunk.body.data(), chunk.data_bytes);
  } else if (!snappy::RawUncompress(chunk.body.data(), chunk.body.size(), to)) {
    return Invalid("not valid snappy data", chunk.offset);
  }
  if (MaskedCrc32c({to, chunk.data_bytes}) != chunk.checksum)
    return Invalid("wrong checksum", chunk.offset);
  return absl::OkStatus();
}

absl::StatusOr<std::string> RoomFor(uint64_t bytes, const ExpandLimits& limits) {
  if (bytes > limits.bytes_max)
    return TooLarge(limits.bytes_max);
  FLARE_RETURN_IF_ERROR(Reserve(limits, bytes));
  return std::string(bytes, '\0');
}

}  // namespace

bool LooksLikeFramedSnappy(std::string_view bytes) { return bytes.starts_with(kStreamIdentifier); }

uint32_t MaskedCrc32c(std::string_view bytes) {
  const uint32_t crc = Crc32c(bytes);
  return (crc >> 15 | crc << 17) + 0xa282ead8;
}

absl::StatusOr<std::string> UnsnappyBlock(std::string_view bytes, const ExpandLimits& limits) {
  size_t length = 0;
  if (!snappy::GetUncompressedLength(bytes.data(), bytes.size(), &length) ||
      !snappy::IsValidCompressedBuffer(bytes.data(), bytes.size()))
    return absl::InvalidArgumentError("invalid or truncated snappy data");
  FLARE_ASSIGN(std::string out, RoomFor(length, limits));
  if (!snappy::RawUncompress(bytes.data(), bytes.size(), out.data()))
    return absl::InvalidArgumentError("invalid or truncated snappy data");
  return out;
}

absl::StatusOr<std::string> UnsnappyFrames(std::string_view bytes, const ExpandLimits& limits) {
  uint64_t total = 0;
  FLARE_RETURN_IF_ERROR(VisitDataChunks(bytes, [&](const DataChunk& chunk) {
    total += chunk.data_bytes;
    return absl::OkStatus();
  }));
  FLARE_ASSIGN(std::string out, RoomFor(total, limits));
  char* to = out.data();
  FLARE_RETURN_IF_ERROR(VisitDataChunks(bytes, [&](const DataChunk& chunk) {
    char* const at = to;
    to += chunk.data_bytes;
    return DecodeChunk(chunk, at);
  }));
  return out;
}

absl::StatusOr<std::string> Unsnappy(std::string_view bytes, const ExpandLimits& limits) {
  return LooksLikeFramedSnappy(bytes) ? UnsnappyFrames(bytes, limits)
                                      : UnsnappyBlock(bytes, limits);
}

}  // namespace flarestack::base
