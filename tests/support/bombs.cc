// SPDX-License-Identifier: Apache-2.0
#include "bombs.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

namespace flarestack::testing {
namespace {

constexpr size_t kChunkBytes = 1 << 20;

std::string Varint(uint64_t number) {
  std::string out;
  for (; number > 0x7f; number >>= 7)
    out.push_back(static_cast<char>(number | 0x80));
  out.push_back(static_cast<char>(number));
  return out;
}

std::string LittleEndian(uint64_t number) {
  std::string out;
  for (int i = 0; i < 4; ++i)
    out.push_back(static_cast<char>(number >> (8 * i)));
  return out;
}

// Ends on a byte boundary and refers to no earlier data, so that it can be repeated.
std::string DeflateChunk(const std::string& bytes) {
  z_stream stream = {};
  constexpr int kRawDeflate = -15;
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, kRawDeflate, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FULL_FLUSH), Z_OK);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct ZstdFree {
  void operator()(ZSTD_CCtx* p) const { ZSTD_freeCCtx(p); }
};

}  // namespace

std::string Field(uint32_t number, std::string_view content) {
  return Varint(uint64_t{number} << 3 | 2) + Varint(content.size()) + std::string(content);
}

std::string Frame(std::string_view message) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8)
    out.push_back(static_cast<char>(message.size() >> shift));
  return out.append(message);
}

std::string GzipOfZeros(uint64_t zeros) {
  const std::string bytes(kChunkBytes, '\0');
  const std::string chunk = DeflateChunk(bytes);
  const uLong chunk_sum =
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  uLong sum = 0;
  for (uint64_t done = 0; done < zeros; done += kChunkBytes) {
    out += chunk;
    sum = crc32_combine(sum, chunk_sum, kChunkBytes);
  }
  out.append("\x03\0", 2);  // an empty final block
  return out + LittleEndian(sum) + LittleEndian(zeros);
}

std::string ZstdOfZeros(uint64_t zeros) {
  const std::unique_ptr<ZSTD_CCtx, ZstdFree> context(ZSTD_createCCtx());
  const std::string bytes(kChunkBytes, '\0');
  std::string out;
  std::string buffer(kChunkBytes, '\0');
  for (uint64_t done = 0; done < zeros; done += kChunkBytes) {
    ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
    const bool is_last = done + kChunkBytes >= zeros;
    size_t left = 1;
    while (in.pos < in.size || (is_last && left != 0)) {
      ZSTD_outBuffer to = {buffer.data(), buffer.size(), 0};
      left = ZSTD_compressStream2(context.get(), &to, &in, is_last ? ZSTD_e_end : ZSTD_e_continue);
      EXPECT_EQ(ZSTD_isError(left), 0U);
      out.append(buffer, 0, to.pos);
    }
  }
  return out;
}

}  // namespace flarestack::testing
