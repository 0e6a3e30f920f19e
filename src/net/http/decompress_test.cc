// SPDX-License-Identifier: Apache-2.0
#include "net/http/decompress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/compress/compress.h"
#include "base/status.h"
#include "base/testing/compressors.h"

namespace flarestack::net {
namespace {

using absl::StatusCode;

struct Coding {
  ContentCoding coding;
  std::string (*compress)(std::string_view);
};
const Coding kCodings[] = {
    {ContentCoding::kGzip, base::Gzip},
    {ContentCoding::kDeflate, base::Deflate},
    {ContentCoding::kZstd, base::Zstd},
    {ContentCoding::kSnappy, base::SnappyBlock},
    {ContentCoding::kSnappy, base::SnappyFrames},
    {ContentCoding::kSnappyFramed, base::SnappyFrames},
    {ContentCoding::kLz4, base::Lz4},
    {ContentCoding::kIdentity, [](std::string_view b) { return std::string(b); }}};

TEST(DecompressTest, DecodesEachCoding) {
  for (const Coding& coding : kCodings) {
    base::ByteLease lease;
    EXPECT_EQ(*Decompress(coding.coding, coding.compress("text"), {}, &lease), "text");
    EXPECT_EQ(lease.held_bytes(), 4u);
  }
}

TEST(DecompressTest, LimitsTheSize) {
  const std::string text(5000, 'x');
  for (const Coding& coding : kCodings) {
    base::ByteLease lease;
    const std::string packed = coding.compress(text);
    EXPECT_TRUE(Decompress(coding.coding, packed, {.bytes_max = 5000}, &lease).ok());
    EXPECT_EQ(Decompress(coding.coding, packed, {.bytes_max = 4999}, &lease).status().code(),
              StatusCode::kResourceExhausted);
  }
}

TEST(DecompressTest, LimitsTheRatioExceptForSmallOutput) {
  // Snappy reaches 21
  const DecompressLimits limits = {.ratio_max = 10, .ratio_exempt_bytes = 100'000};
  for (const Coding& coding : kCodings) {
    if (coding.coding == ContentCoding::kIdentity)
      continue;
    base::ByteLease lease;
    const std::string small = coding.compress(std::string(100'000, 'x'));
    const std::string large = coding.compress(std::string(10'000'000, 'x'));
    EXPECT_TRUE(Decompress(coding.coding, small, limits, &lease).ok());
    const auto bomb = Decompress(coding.coding, large, limits, &lease);
    EXPECT_EQ(bomb.status().code(), StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(base::Message(bomb.status())), ::testing::HasSubstr("10 times"));
  }
}

TEST(DecompressTest, ReservesFromTheBudgetAndReleasesOnFailure) {
  base::ByteBudget budget(100'000);
  base::ByteLease other(&budget);
  ASSERT_TRUE(other.Grow(50'000));
  for (const Coding& coding : kCodings) {
    base::ByteLease lease(&budget);
    ASSERT_TRUE(lease.Grow(1000));
    const std::string packed = coding.compress(std::string(60'000, 'x'));
    EXPECT_EQ(Decompress(coding.coding, packed, {}, &lease).status().code(),
              StatusCode::kUnavailable);
    EXPECT_EQ(lease.held_bytes(), 1000u);
  }
  // Data that would not fit even alone must not be retried.
  other.Release();
  for (const Coding& coding : kCodings) {
    base::ByteLease lease(&budget);
    ASSERT_TRUE(lease.Grow(1000));
    const std::string packed = coding.compress(std::string(110'000, 'x'));
    EXPECT_EQ(Decompress(coding.coding, packed, {}, &lease).status().code(),
              StatusCode::kResourceExhausted);
    EXPECT_EQ(lease.held_bytes(), 1000u);
  }
  EXPECT_LE(budget.high_water_bytes(), 100'000u);
}

// A sender retries data that was rejected for lack of room.
TEST(DecompressTest, DataThatCannotFitIsNotRetryableEvenIfTheBudgetIsExhausted) {
  base::ByteBudget budget(1'000'000);
  base::ByteLease other(&budget);
  ASSERT_TRUE(other.Grow(950'000));
  for (const Coding& coding : kCodings) {
    if (coding.coding == ContentCoding::kIdentity)
      continue;
    base::ByteLease lease(&budget);
    ASSERT_TRUE(lease.Grow(1000));
    const auto code_of = [&](size_t bytes, const DecompressLimits& limits) {
      return Decompress(coding.coding, coding.compress(std::string(bytes, 'x')), limits, &lease)
          .status()
          .code();
    };
    EXPECT_EQ(code_of(900'000, {}), StatusCode::kUnavailable);
    EXPECT_EQ(code_of(1'100'000, {}), StatusCode::kResourceExhausted);
    EXPECT_EQ(code_of(900'000, {.bytes_max = 800'000}), StatusCode::kResourceExhausted);
    EXPECT_EQ(code_of(900'000, {.ratio_max = 10, .ratio_exempt_bytes = 100'000}),
              StatusCode::kResourceExhausted);
    EXPECT_EQ(lease.held_bytes(), 1000u);
    EXPECT_EQ(budget.current_bytes(), 951'000u);
  }
}

// The decoders reserve in steps that may be larger than the rest of the budget.
TEST(DecompressTest, AcceptsDataThatFitsIntoAnEmptyBudget) {
  base::ByteBudget budget(100'000);
  for (const Coding& coding : kCodings) {
    base::ByteLease lease(&budget);
    ASSERT_TRUE(lease.Grow(1000));
    EXPECT_TRUE(
        Decompress(coding.coding, coding.compress(std::string(90'000, 'x')), {}, &lease).ok())
        << static_cast<int>(coding.coding);
  }
}

TEST(DecompressTest, RejectsARawBlockAsFramedSnappy) {
  base::ByteLease lease;
  EXPECT_EQ(Decompress(ContentCoding::kSnappyFramed, base::SnappyBlock("text"), {}, &lease)
                .status()
                .code(),
            StatusCode::kInvalidArgument);
}

TEST(DecompressTest, RejectsDamagedData) {
  for (const Coding& coding : kCodings) {
    if (coding.coding == ContentCoding::kIdentity)
      continue;
    base::ByteLease lease;
    EXPECT_EQ(Decompress(coding.coding, "nonsense", {}, &lease).status().code(),
              StatusCode::kInvalidArgument);
  }
}

TEST(ContentCodingTest, ParsesNames) {
  EXPECT_EQ(*ParseContentCoding(""), ContentCoding::kIdentity);
  EXPECT_EQ(*ParseContentCoding("Identity"), ContentCoding::kIdentity);
  EXPECT_EQ(*ParseContentCoding("GZip"), ContentCoding::kGzip);
  EXPECT_EQ(*ParseContentCoding("x-gzip"), ContentCoding::kGzip);
  EXPECT_EQ(*ParseContentCoding("deflate"), ContentCoding::kDeflate);
  EXPECT_EQ(*ParseContentCoding("zstd"), ContentCoding::kZstd);
  EXPECT_EQ(*ParseContentCoding("zlib"), ContentCoding::kDeflate);
  EXPECT_EQ(*ParseContentCoding("snappy"), ContentCoding::kSnappy);
  EXPECT_EQ(*ParseContentCoding("X-Snappy-Framed"), ContentCoding::kSnappyFramed);
  EXPECT_EQ(*ParseContentCoding("lz4"), ContentCoding::kLz4);
  EXPECT_EQ(ParseContentCoding("br").status().code(), StatusCode::kUnimplemented);
  EXPECT_EQ(ParseContentCoding("gzip, gzip").status().code(), StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace flarestack::net
