// SPDX-License-Identifier: Apache-2.0
//
// Snappy and LZ4, and the size measurement of each format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "absl/status/status.h"
#include "base/compress/compress.h"
#include "base/compress/compress_measure.h"
#include "base/status.h"
#include "base/testing/compressors.h"
#include "base/text/encoding.h"

namespace flarestack::base {
namespace {

using absl::StatusCode;
using ::testing::HasSubstr;

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

std::string SomeText(size_t size_bytes) {
  std::string text;
  uint32_t state = 1;
  while (text.size() < size_bytes) {
    state = state * 1664525 + 1013904223;
    text += std::to_string(state >> 20) + ";";
  }
  text.resize(size_bytes);
  return text;
}

// Incompressible.
std::string Noise(size_t size_bytes) {
  std::string bytes;
  uint64_t state = 1;
  while (bytes.size() < size_bytes) {
    state = state * 6364136223846793005 + 1442695040888963407;
    bytes.push_back(static_cast<char>(state >> 56));
  }
  return bytes;
}

struct Format {
  const char* name;
  std::string (*compress)(std::string_view);
  absl::StatusOr<std::string> (*expand)(std::string_view, const ExpandLimits&);
  bool (*exceeds)(std::string_view, uint64_t);
};

absl::StatusOr<std::string> GunzipAll(std::string_view bytes, const ExpandLimits& limits) {
  return Gunzip(bytes, limits);
}
absl::StatusOr<std::string> UnzstdAll(std::string_view bytes, const ExpandLimits& limits) {
  return Unzstd(bytes, limits);
}
std::string BareDeflate(std::string_view bytes) {
  const std::string zlib = Deflate(bytes);
  return zlib.substr(2, zlib.size() - 6);
}

class FormatTest : public ::testing::TestWithParam<Format> {
 protected:
  static std::string Compress(std::string_view bytes) { return GetParam().compress(bytes); }
  static absl::StatusOr<std::string> Expand(std::string_view bytes, uint64_t bytes_max) {
    return GetParam().expand(bytes, {.bytes_max = bytes_max});
  }
  static StatusCode CodeOf(std::string_view bytes, uint64_t bytes_max) {
    return Expand(bytes, bytes_max).status().code();
  }
};

TEST_P(FormatTest, WhatGoesInComesOut) {
  for (const size_t size : {0, 1, 100, 65536, 65537, 3'000'000}) {
    for (const std::string& bytes : {SomeText(size), Noise(size), std::string(size, '\0')}) {
      const auto back = Expand(Compress(bytes), kNoLimit);
      ASSERT_TRUE(back.ok()) << size << ": " << back.status();
      EXPECT_TRUE(*back == bytes) << size;
    }
  }
}

TEST_P(FormatTest, LimitIsExact) {
  for (const size_t size : {1, 1000, 65535, 65536, 65537, 131072, 131073, 500'000}) {
    for (const std::string& text : {SomeText(size), std::string(size, '\0')}) {
      const std::string packed = Compress(text);
      EXPECT_EQ(CodeOf(packed, size), StatusCode::kOk) << size;
      EXPECT_EQ(CodeOf(packed, size + 1), StatusCode::kOk) << size;
      EXPECT_EQ(CodeOf(packed, size - 1), StatusCode::kResourceExhausted) << size;
      EXPECT_EQ(CodeOf(packed, size / 2), StatusCode::kResourceExhausted) << size;
    }
  }
  EXPECT_EQ(CodeOf(Compress(""), 0), StatusCode::kOk);
  EXPECT_EQ(CodeOf(Compress("a"), 0), StatusCode::kResourceExhausted);
}

TEST_P(FormatTest, MeasuredSizeIsExact) {
  for (const size_t size : {1, 1000, 65535, 65536, 65537, 131072, 3'000'000}) {
    for (const std::string& bytes : {SomeText(size), Noise(size), std::string(size, '\0')}) {
      const std::string packed = Compress(bytes);
      EXPECT_TRUE(GetParam().exceeds(packed, size - 1)) << size;
      EXPECT_FALSE(GetParam().exceeds(packed, size)) << size;
      EXPECT_FALSE(GetParam().exceeds(packed.substr(0, packed.size() / 2), size)) << size;
    }
  }
  EXPECT_FALSE(GetParam().exceeds("nonsense", 100));
  EXPECT_FALSE(GetParam().exceeds("", 0));
}

TEST_P(FormatTest, ReservesMemoryBeforeAllocating) {
  const std::string packed = Compress(std::string(1'000'000, 'x'));
  uint64_t requested = 0;
  const auto rejected =
      GetParam().expand(packed, {.bytes_max = kNoLimit, .try_reserve = [&](uint64_t n) {
                                   requested = n;
                                   return n < 500'000;
                                 }});
  EXPECT_EQ(rejected.status().code(), StatusCode::kUnavailable);
  EXPECT_GE(requested, 500'000u);
}

TEST_P(FormatTest, RejectsDamagedData) {
  const std::string packed = Compress(SomeText(500));
  EXPECT_EQ(CodeOf("nonsense", kNoLimit), StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf(packed.substr(0, packed.size() - 1), kNoLimit), StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf(packed + "g", kNoLimit), StatusCode::kInvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(
    All, FormatTest,
    ::testing::Values(Format{"Gzip", Gzip, GunzipAll, GzipExceeds},
                      Format{"Zlib", Deflate, Inflate, DeflateExceeds},
                      Format{"BareDeflate", BareDeflate, Inflate, DeflateExceeds},
                      Format{"Zstd", Zstd, UnzstdAll, ZstdExceeds},
                      Format{"Lz4", Lz4, Unlz4, Lz4Exceeds},
                      Format{"SnappyBlock", SnappyBlock, Unsnappy, SnappyExceeds},
                      Format{"SnappyFrames", SnappyFrames, Unsnappy, SnappyExceeds}),
    [](const auto& test) { return test.param.name; });

TEST(SnappyTest, ChecksumMatchesTheSpecification) {
  // CRC-32C of "123456789" is e3069283; RFC 3720 gives 8a9136aa for 32 zeros.
  const auto masked = [](uint32_t crc) { return (crc >> 15 | crc << 17) + 0xa282ead8; };
  EXPECT_EQ(MaskedCrc32c("123456789"), masked(0xe3069283));
  EXPECT_EQ(MaskedCrc32c(std::string(32, '\0')), masked(0x8a9136aa));
}

// Assembled by hand from framing_format.txt: a compressed chunk, a plain one, padding.
TEST(SnappyTest, ReadsAStreamFromAnotherEncoder) {
  const auto stream = HexDecode(
      "ff060000734e61507059"
      "00160000a0d63e5d1a30666c616d652067726170683b20320d00"
      "010800007e4945d674657874"
      "fe0200007a7a");
  EXPECT_EQ(*Unsnappy(*stream, {.bytes_max = 100}), "flame graph; flame graph; text");
}

TEST(SnappyTest, SkipsOrRejectsChunksOfOtherTypes) {
  const ExpandLimits limits = {.bytes_max = kNoLimit};
  const std::string text = SnappyFrames("text");
  const std::string head = text.substr(0, 10);
  EXPECT_EQ(*UnsnappyFrames(text + std::string("\xfe\x02\x00\x00zz", 6), limits), "text");
  EXPECT_EQ(*UnsnappyFrames(text + std::string("\x80\x01\x00\x00z", 5) + head, limits), "text");
  EXPECT_EQ(*UnsnappyFrames(text + text, limits), "texttext");
  for (const std::string& bad :
       {std::string("\x02\x00\x00\x00", 4), std::string("\x7f\x00\x00\x00", 4),
        std::string("\xff\x06\x00\x00sNaPpX", 10), std::string("\x00\x03\x00\x00zzz", 7),
        std::string("\x01\x03\x00\x00zzz", 7)}) {
    EXPECT_EQ(UnsnappyFrames(text + bad, limits).status().code(), StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(UnsnappyFrames(SnappyBlock("text"), limits).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(SnappyTest, ReportsTheOffsetOfAWrongChecksum) {
  std::string packed = SnappyFrames("text");
  packed[14] = static_cast<char>(packed[14] ^ 1);
  const auto bad = UnsnappyFrames(packed, {.bytes_max = 100});
  EXPECT_EQ(bad.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(bad.status())), HasSubstr("byte 10: wrong checksum"));
}

TEST(SnappyTest, RejectsAClaimedSizeOfGigabytes) {
  const std::string claim("\xff\xff\xff\xff\x0f\x00z", 7);
  EXPECT_EQ(UnsnappyBlock(claim, {.bytes_max = kNoLimit}).status().code(),
            StatusCode::kInvalidArgument);
  const std::string chunk = SnappyFrames("").append("\x00\x06\x00\x00zzzz\x80\x80", 10);
  EXPECT_EQ(UnsnappyFrames(chunk, {.bytes_max = kNoLimit}).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(Lz4Test, JoinsFramesAndSkipsSkippableOnes) {
  const ExpandLimits limits = {.bytes_max = 100};
  const std::string skippable("\x50\x2a\x4d\x18\x02\x00\x00\x00zz", 10);
  EXPECT_EQ(*Unlz4(Lz4("one ") + skippable + Lz4("two"), limits), "one two");
  EXPECT_TRUE(LooksLikeLz4(Lz4("")));
}

}  // namespace
}  // namespace flarestack::base
