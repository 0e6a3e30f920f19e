// SPDX-License-Identifier: Apache-2.0
#include "store/chunk/column.h"

#include <gtest/gtest.h>

#include <random>

namespace flarestack::store {
namespace {

std::string Encode(const std::vector<uint64_t>& numbers) {
  std::string bytes;
  AppendColumn(numbers, &bytes);
  return bytes;
}

TEST(Column, RoundTrips) {
  std::mt19937_64 random(5);
  for (const size_t count : {0, 1, 5, 511, 512, 513, 5000}) {
    for (const uint32_t bits : {0, 1, 2, 3, 8, 17, 63, 64}) {
      std::vector<uint64_t> numbers(count);
      for (uint64_t& number : numbers)
        number = bits == 0 ? 0 : random() >> (64 - bits) >> (random() % bits);
      std::string bytes = Encode(numbers);
      bytes += "next";
      base::ByteReader in(bytes);
      std::vector<uint64_t> read;
      ASSERT_TRUE(ReadColumn(in, count, &read)) << count << " of " << bits;
      EXPECT_EQ(read, numbers);
      EXPECT_EQ(in.rest(), "next");
      base::ByteReader over(bytes);
      EXPECT_TRUE(SkipColumn(over, count)) << count << " of " << bits;
      EXPECT_EQ(over.rest(), "next");
    }
  }
}

TEST(Column, SizeIsCloseToTheEntropy) {
  std::mt19937_64 random(5);
  std::vector<uint64_t> numbers(100'000);
  for (uint64_t& number : numbers)
    number = static_cast<uint64_t>(std::exponential_distribution<double>(0.01)(random));
  // An exponential distribution with a mean of 100 has an entropy of 8.09 bits.
  EXPECT_LT(static_cast<double>(Encode(numbers).size()) * 8 / 100'000, 8.3);
}

TEST(Column, RejectsInvalidBytes) {
  std::vector<uint64_t> numbers(600);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = i * i;
  const std::string bytes = Encode(numbers);
  std::vector<uint64_t> read;
  for (size_t size = 0; size < bytes.size(); ++size) {
    base::ByteReader in(std::string_view(bytes).substr(0, size));
    EXPECT_FALSE(ReadColumn(in, numbers.size(), &read)) << size;
    base::ByteReader over(std::string_view(bytes).substr(0, size));
    EXPECT_FALSE(SkipColumn(over, numbers.size())) << size;
  }
  for (const std::string_view wrong : {"", "\x03", "\xff", "\x01\x00\x80"}) {
    base::ByteReader in(wrong);
    EXPECT_FALSE(ReadColumn(in, 1, &read));
    base::ByteReader over(wrong);
    EXPECT_FALSE(SkipColumn(over, 1));
  }
  base::ByteReader huge(bytes);  // more numbers than fit in memory
  EXPECT_FALSE(ReadColumn(huge, size_t{1} << 60, &read));
}

}  // namespace
}  // namespace flarestack::store
