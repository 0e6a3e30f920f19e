// SPDX-License-Identifier: Apache-2.0
#include "demo/code/random.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace flarestack::demo {
namespace {

TEST(RandomTest, StreamDependsOnSeedNameAndNumber) {
  const auto first = [](uint64_t seed, std::string_view stream, uint64_t number) {
    return Random(seed, stream, number).Next();
  };
  EXPECT_EQ(first(1, "request", 7), first(1, "request", 7));
  EXPECT_NE(first(1, "request", 7), first(2, "request", 7));
  EXPECT_NE(first(1, "request", 7), first(1, "request", 8));
  EXPECT_NE(first(1, "request", 7), first(1, "window", 7));
}

// Later versions must be able to reproduce a saved story or screenshot.
TEST(RandomTest, NumbersStayTheSame) {
  Random random(1, "request", 7);
  EXPECT_EQ(random.Next(), 11774789768579594581u);
  EXPECT_EQ(random.Next(), 2325801631658459392u);
}

TEST(RandomTest, ValuesStayInTheDocumentedRanges) {
  Random random(3, "test", 0);
  double sum = 0;
  uint64_t counted = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double unit = random.Unit();
    ASSERT_GE(unit, 0);
    ASSERT_LT(unit, 1);
    ASSERT_LT(random.Below(7), 7u);
    const double spread = random.Spread(10);
    ASSERT_GT(spread, 3);
    ASSERT_LT(spread, 32);
    sum += unit;
    counted += random.Count(0.3);
  }
  EXPECT_NEAR(sum / 20'000, 0.5, 0.01);
  EXPECT_NEAR(static_cast<double>(counted) / 20'000, 0.3, 0.015);
  const std::string bytes = random.Bytes(16);
  EXPECT_EQ(bytes.size(), 16u);
  EXPECT_FALSE(std::ranges::all_of(bytes, [](char byte) { return byte == '\0'; }));
}

}  // namespace
}  // namespace flarestack::demo
