// SPDX-License-Identifier: Apache-2.0
#include "base/compress/deflate_end.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

namespace flarestack::base {
namespace {

// Compressible, with literals and with short and long matches, near and far.
std::string Text(size_t size_bytes) {
  std::string text;
  uint32_t state = 7;
  while (text.size() < size_bytes) {
    state = state * 1664525 + 1013904223;
    text += std::to_string(state >> (state & 1 ? 8 : 24));
    if ((state >> 20) % 50 == 0)
      text.append(state >> 22, 'x');
    text += static_cast<char>(state >> 13);
  }
  text.resize(size_bytes);
  return text;
}

struct Way {
  int level;
  int strategy;
};

std::string DeflateBare(const std::string& text, Way way) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, way.level, Z_DEFLATED, -15, 9, way.strategy), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 16, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string InflateBare(std::string_view packed, size_t size_bytes) {
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, -15), Z_OK);
  std::string out(size_bytes, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = inflate(&stream, Z_FINISH);
  EXPECT_EQ(stream.avail_in, 0u);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return result == Z_STREAM_END ? out : "not deflate data";
}

// Stored, fixed and dynamic codes, one block and many.
constexpr Way kWays[] = {{0, Z_DEFAULT_STRATEGY}, {1, Z_DEFAULT_STRATEGY},
                         {6, Z_DEFAULT_STRATEGY}, {9, Z_FIXED},
                         {6, Z_HUFFMAN_ONLY},     {6, Z_RLE}};

TEST(DeflateEndTest, BlocksCanBeAppendedAtTheEnd) {
  for (const Way way : kWays) {
    for (const size_t size : {0, 1, 2, 3, 4, 5, 300, 70'000, 400'000}) {
      const std::string text = Text(size);
      std::string packed = DeflateBare(text, way);
      const auto end = FindDeflateEnd(packed);
      ASSERT_TRUE(end.has_value()) << way.level << " " << way.strategy << " " << size;
      EXPECT_EQ((end->end_bit + 7) / 8, packed.size());
      char& mark = packed[end->last_block_bit / 8];
      EXPECT_NE(mark & 1 << (end->last_block_bit % 8), 0);
      mark = static_cast<char>(mark & ~(1 << (end->last_block_bit % 8)));
      packed.resize((end->end_bit + 3 + 7) / 8, '\0');
      packed.append("\x00\x00\xff\xff", 4);
      packed += DeflateBare("and more", {6, Z_DEFAULT_STRATEGY});
      EXPECT_TRUE(InflateBare(packed, size + 8) == text + "and more") << size;
    }
  }
}

TEST(DeflateEndTest, IgnoresDataAfterTheEnd) {
  const std::string packed = DeflateBare(Text(5000), {6, Z_DEFAULT_STRATEGY});
  const auto end = FindDeflateEnd(packed);
  const auto same = FindDeflateEnd(packed + "garbage");
  ASSERT_TRUE(end.has_value() && same.has_value());
  EXPECT_EQ(same->end_bit, end->end_bit);
}

TEST(DeflateEndTest, TruncatedDataHasNoEndAndDamagedDataStaysInBounds) {
  EXPECT_FALSE(FindDeflateEnd("").has_value());
  for (const Way way : kWays) {
    const std::string packed = DeflateBare(Text(3000), way);
    for (size_t size = 0; size < packed.size(); ++size)
      EXPECT_FALSE(FindDeflateEnd(std::string_view(packed).substr(0, size)).has_value()) << size;
    for (size_t at = 0; at < packed.size(); ++at) {
      std::string damaged = packed;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
      const auto end = FindDeflateEnd(damaged);
      EXPECT_LE(end.has_value() ? end->end_bit : 0, damaged.size() * 8);
    }
  }
}

}  // namespace
}  // namespace flarestack::base
