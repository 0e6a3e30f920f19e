// SPDX-License-Identifier: Apache-2.0
#include "codec/wire/packed.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

namespace flarestack::codec::wire {
namespace {

// Byte by byte, as the protobuf documentation describes it.
void AppendVarint(uint64_t number, std::string* bytes) {
  for (; number >= 0x80; number >>= 7)
    bytes->push_back(static_cast<char>(number | 0x80));
  bytes->push_back(static_cast<char>(number));
}

std::string Packed(const std::vector<int64_t>& numbers) {
  std::string bytes;
  for (const int64_t number : numbers)
    AppendVarint(static_cast<uint64_t>(number), &bytes);
  return bytes;
}

TEST(PackedTest, ReadsEveryMixtureOfNumberLengths) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<int64_t> numbers(random() % 300);
    const uint64_t bits_max = 1 + random() % 64;  // some lists have only short numbers
    for (int64_t& number : numbers)
      number = static_cast<int64_t>(random() >> (64 - 1 - random() % bits_max));
    Fault fault;
    std::vector<int64_t> read = {-7};
    AppendPacked(Packed(numbers), &read, &fault);
    ASSERT_FALSE(fault.is_set());
    ASSERT_EQ(read.front(), -7);
    read.erase(read.begin());
    ASSERT_EQ(read, numbers);
  }
}

TEST(PackedTest, ReadsTheExtremes) {
  const std::vector<int64_t> numbers = {0,
                                        127,
                                        128,
                                        16383,
                                        16384,
                                        -1,
                                        std::numeric_limits<int64_t>::max(),
                                        std::numeric_limits<int64_t>::min(),
                                        0};
  Fault fault;
  std::vector<int64_t> read;
  AppendPacked(Packed(numbers), &read, &fault);
  EXPECT_FALSE(fault.is_set());
  EXPECT_EQ(read, numbers);
}

TEST(PackedTest, TruncatedNumberIsAFaultAnywhere) {
  for (size_t before = 0; before < 40; ++before) {
    std::string bytes(before, '\x05');
    bytes += "\x80\x80";
    Fault fault;
    std::vector<int64_t> read;
    AppendPacked(bytes, &read, &fault);
    EXPECT_TRUE(fault.is_set()) << before;
    EXPECT_EQ(fault.at, bytes.data() + before);
  }
}

TEST(PackedTest, NumberOfMoreThanTenBytesIsAFault) {
  const std::string bytes = "\x01" + std::string(10, '\xff') + std::string(20, '\x01');
  Fault fault;
  std::vector<int64_t> read;
  AppendPacked(bytes, &read, &fault);
  ASSERT_TRUE(fault.is_set());
  EXPECT_STREQ(fault.what, "number of more than 10 bytes");
  EXPECT_EQ(fault.at, bytes.data() + 1);
}

}  // namespace
}  // namespace flarestack::codec::wire
