// SPDX-License-Identifier: Apache-2.0
#include "base/compress/compress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/compress/compress_measure.h"
#include "base/helper_pool.h"
#include "base/status.h"

namespace flarestack::base {
namespace {

using absl::StatusCode;
using ::testing::HasSubstr;

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

// Repetitive, but not at short distances.
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

struct Codec {
  const char* name;
  std::string (*compress)(std::string_view);
  absl::StatusOr<std::string> (*expand)(std::string_view, uint64_t);
  bool (*recognise)(std::string_view);
};

class CompressTest : public ::testing::TestWithParam<Codec> {
 protected:
  static std::string Compress(std::string_view bytes) { return GetParam().compress(bytes); }
  static absl::StatusOr<std::string> Expand(std::string_view bytes, uint64_t bytes_max) {
    return GetParam().expand(bytes, bytes_max);
  }
  static StatusCode CodeOf(std::string_view bytes, uint64_t bytes_max) {
    return Expand(bytes, bytes_max).status().code();
  }
};

TEST_P(CompressTest, WhatGoesInComesOut) {
  for (const size_t size : {0, 1, 100, 65536, 65537, 3'000'000}) {
    const std::string text = SomeText(size);
    const std::string packed = Compress(text);
    EXPECT_TRUE(GetParam().recognise(packed));
    const auto back = Expand(packed, kNoLimit);
    ASSERT_TRUE(back.ok()) << size << ": " << back.status();
    EXPECT_TRUE(*back == text) << size;
  }
}

TEST_P(CompressTest, SameInputGivesTheSameBytes) {
  EXPECT_EQ(Compress(SomeText(10'000)), Compress(SomeText(10'000)));
}

// At the limit, one below, and around the buffer growth sizes.
TEST_P(CompressTest, LimitIsExact) {
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

TEST_P(CompressTest, JoinsConcatenatedParts) {
  const std::string packed = Compress("one ") + Compress("") + Compress("two");
  EXPECT_EQ(*Expand(packed, kNoLimit), "one two");
  EXPECT_EQ(*Expand(packed, 7), "one two");
  EXPECT_EQ(CodeOf(packed, 6), StatusCode::kResourceExhausted);
  EXPECT_EQ(*Expand(Compress("full") + Compress(""), 4), "full");
}

TEST_P(CompressTest, RejectsEveryTruncation) {
  const std::string packed = Compress(SomeText(500));
  for (size_t size = 1; size < packed.size(); ++size) {
    EXPECT_EQ(CodeOf(packed.substr(0, size), kNoLimit), StatusCode::kInvalidArgument) << size;
  }
}

TEST_P(CompressTest, ReportsTheOffsetOfATruncatedSecondPart) {
  const std::string one = Compress("one");
  const auto cut = Expand(one + Compress("two").substr(0, 9), kNoLimit);
  EXPECT_EQ(cut.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(cut.status())), HasSubstr("byte "));
}

TEST_P(CompressTest, RejectsTrailingGarbage) {
  EXPECT_EQ(CodeOf(Compress("text") + "garbage", kNoLimit), StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf(Compress("text") + "g", kNoLimit), StatusCode::kInvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Both, CompressTest,
                         ::testing::Values(Codec{"Gzip", Gzip, Gunzip, LooksLikeGzip},
                                           Codec{"Zstd", Zstd, Unzstd, LooksLikeZstd}),
                         [](const auto& test) { return test.param.name; });

TEST(GzipTest, AcceptsTrailingZerosAsPadding) {
  EXPECT_EQ(*Gunzip(Gzip("text") + std::string(500, '\0'), kNoLimit), "text");
}

TEST(GzipTest, ReportsTheOffsetOfABadMember) {
  const std::string one = Gzip("one");
  std::string two = Gzip("two");
  two[two.size() - 5] = static_cast<char>(two[two.size() - 5] ^ 1);  // its checksum
  const auto bad = Gunzip(one + two, kNoLimit);
  EXPECT_EQ(bad.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(bad.status())), HasSubstr("byte " + std::to_string(one.size())));
}

TEST(GzipTest, WritesNeitherNameNorTime) {
  EXPECT_EQ(Gzip("x").substr(0, 8), std::string("\x1f\x8b\x08\0\0\0\0\0", 8));
}

// The output of a reader that stops after the first member, as some do.
std::string FirstMember(std::string_view packed, size_t size_bytes) {
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, 31), Z_OK);
  std::string out(size_bytes, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0u);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST(GzipTest, CompressesLargeInputInPiecesOfOneMember) {
  for (const size_t size :
       {kGzipPieceBytes, kGzipPieceBytes + 1, 2 * kGzipPieceBytes, 5 * kGzipPieceBytes + 77}) {
    for (const std::string& text : {SomeText(size), std::string(size, 'x')}) {
      EXPECT_TRUE(FirstMember(Gzip(text), size) == text) << size;
      EXPECT_TRUE(FirstMember(GzipQuickly(text), size) == text) << size;
    }
  }
}

// When all pool threads are busy, each Gzip() call runs only on its calling thread.
TEST(GzipTest, OutputDoesNotDependOnTheThreadCount) {
  const std::string text = SomeText(3 * kGzipPieceBytes + 5);
  const std::string packed = Gzip(text);
  std::vector<std::string> others(16);
  ASSERT_TRUE(ParallelFor(others.size(), [&](size_t i) {
                others[i] = Gzip(text);
                return absl::OkStatus();
              }).ok());
  for (const std::string& other : others)
    EXPECT_TRUE(other == packed);
}

TEST(GzipTest, AcceptsEmptyPiecesAndNoPieces) {
  for (const std::vector<std::string>& pieces :
       {std::vector<std::string>{}, {""}, {"", "one", "", "two"}, {SomeText(300'000), "a", ""}}) {
    std::string packed;
    std::string whole;
    for (const std::string& piece : pieces)
      whole += piece;
    const absl::Status status =
        GzipPieces({.piece_count = pieces.size(),
                    .make = [&](size_t piece, TakeBytes take) { take(pieces[piece]); }},
                   GzipLevel::kNormal, [&](std::string_view bytes) {
                     packed += bytes;
                     return absl::OkStatus();
                   });
    ASSERT_TRUE(status.ok());
    EXPECT_TRUE(FirstMember(packed, whole.size() + 1) == whole);
  }
}

TEST(GzipTest, StopsWhenTheWriterFails) {
  const absl::Status status = GzipPieces(
      {.piece_count = 3, .make = [](size_t, TakeBytes take) { take("piece"); }}, GzipLevel::kNormal,
      [](std::string_view) { return absl::ResourceExhaustedError("full"); });
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
}

TEST(ZstdTest, RejectsAFrameThatClaimsTerabytes) {
  // Magic, a single-segment frame with an 8-byte content size of 2^40, and no block.
  const std::string claim("\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\x01\0\0", 13);
  EXPECT_EQ(Unzstd(claim, 1000).status().code(), StatusCode::kInvalidArgument);
}

// The decoder and the size measurement agree on it, in the first frame and in a later one.
TEST(ZstdTest, RejectsFramesWithAWindowAbove8MiB) {
  // Magic, a frame without content size, its window, and a raw last block of one byte.
  const auto frame = [](char window) {
    return std::string("\x28\xb5\x2f\xfd\0", 5) + window + std::string("\x09\0\0x", 4);
  };
  const std::string accepted = frame(0x68);  // 2^(10 + 13) bytes
  const std::string rejected = frame(0x69);  // an eighth more
  EXPECT_EQ(*Unzstd(accepted + accepted, 100), "xx");
  EXPECT_TRUE(ZstdExceeds(accepted + accepted, 1));
  const absl::Status status = Unzstd(accepted + rejected, 100).status();
  EXPECT_EQ(status.message(),
            "zstd data at byte 10: the frame has a window of more than 8 MiB; compress without "
            "--long and --ultra");
  EXPECT_FALSE(ZstdExceeds(accepted + rejected, 1));
}

TEST(InflateTest, AcceptsZlibAndRawDeflate) {
  const ExpandLimits limits = {.bytes_max = 100'000};
  const std::string text = SomeText(50'000);
  const std::string zlib = Deflate(text);
  EXPECT_EQ(*Inflate(zlib, limits), text);
  EXPECT_EQ(*Inflate(zlib.substr(2, zlib.size() - 6), limits), text);
}

TEST(InflateTest, EnforcesTheExactLimitAndRejectsDamage) {
  const std::string zlib = Deflate(std::string(70'000, 'x'));
  EXPECT_TRUE(Inflate(zlib, {.bytes_max = 70'000}).ok());
  EXPECT_EQ(Inflate(zlib, {.bytes_max = 69'999}).status().code(), StatusCode::kResourceExhausted);
  for (const std::string& bad : {std::string(), std::string("x"), zlib + "x", zlib.substr(0, 20)})
    EXPECT_EQ(Inflate(bad, {.bytes_max = 70'000}).status().code(), StatusCode::kInvalidArgument);
}

TEST(Crc32Test, MatchesTheStandardCheckValue) {
  EXPECT_EQ(Crc32("123456789"), 0xcbf43926u);
  EXPECT_EQ(Crc32(""), 0u);
}

TEST(ExpandLimitsTest, ReservesAllMemory) {
  const std::string text(1'000'000, 'x');
  for (const uint64_t allowed : {uint64_t{0}, uint64_t{100'000}, uint64_t{2'000'000}}) {
    const ExpandLimits limits = {.bytes_max = 10'000'000,
                                 .try_reserve = [&](uint64_t bytes) { return bytes <= allowed; }};
    const StatusCode code = allowed > text.size() ? StatusCode::kOk : StatusCode::kUnavailable;
    EXPECT_EQ(Gunzip(Gzip(text), limits).status().code(), code);
    EXPECT_EQ(Unzstd(Zstd(text), limits).status().code(), code);
    EXPECT_EQ(Inflate(Deflate(text), limits).status().code(), code);
  }
}

}  // namespace
}  // namespace flarestack::base
