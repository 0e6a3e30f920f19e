// SPDX-License-Identifier: Apache-2.0
#include "codec/wire/reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace flarestack::codec::wire {
namespace {

// Byte by byte, as the protobuf documentation describes it.
std::string Varint(uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7)
    bytes.push_back(static_cast<char>(number | 0x80));
  bytes.push_back(static_cast<char>(number));
  return bytes;
}

// The smallest and the largest number for each bit width.
std::vector<uint64_t> NumbersOfEveryLength() {
  std::vector<uint64_t> numbers = {0};
  for (int bits = 1; bits <= 64; ++bits) {
    numbers.push_back(uint64_t{1} << (bits - 1));
    numbers.push_back(~uint64_t{0} >> (64 - bits));
  }
  return numbers;
}

// A vector has no byte after its last one, so a sanitizer detects a read past the end.
std::vector<char> Exactly(const std::string& bytes) { return {bytes.begin(), bytes.end()}; }
std::string_view View(const std::vector<char>& bytes) { return {bytes.data(), bytes.size()}; }

TEST(ReaderTest, ReadsNumbersOfEveryLengthAtEveryDistanceFromTheEnd) {
  for (const uint64_t number : NumbersOfEveryLength()) {
    for (size_t behind = 0; behind <= 12; ++behind) {
      for (const char filler : {'\x00', '\x7f', '\xff'}) {
        const auto bytes = Exactly(Varint(number) + std::string(behind, filler));
        Fault fault;
        Reader in(View(bytes), &fault);
        EXPECT_EQ(in.Varint(), number) << behind << " bytes behind it";
        EXPECT_EQ(in.rest().size(), behind) << number;
        EXPECT_FALSE(fault.is_set());
      }
    }
  }
}

TEST(ReaderTest, TruncatedNumberIsAFault) {
  for (const uint64_t number : NumbersOfEveryLength()) {
    const std::string whole = Varint(number);
    for (size_t size = 0; size < whole.size(); ++size) {
      const auto bytes = Exactly(whole.substr(0, size));
      Fault fault;
      Reader in(View(bytes), &fault);
      EXPECT_EQ(in.Varint(), 0u);
      EXPECT_STREQ(fault.what, "number is truncated") << size << " bytes of " << number;
      EXPECT_EQ(fault.at, bytes.data());
      EXPECT_TRUE(in.rest().empty());
    }
  }
}

TEST(ReaderTest, NumberOfMoreThanTenBytesIsAFault) {
  for (size_t continued = 10; continued <= 20; ++continued) {
    const auto bytes = Exactly(std::string(continued, '\x80') + '\x01');
    Fault fault;
    Reader in(View(bytes), &fault);
    EXPECT_EQ(in.Varint(), 0u);
    EXPECT_STREQ(fault.what, "number of more than 10 bytes");
    EXPECT_TRUE(in.rest().empty());
  }
}

TEST(ReaderTest, ReadsFieldsOfEveryNumber) {
  for (const uint32_t field : {1u, 2u, 15u, 16u, 2047u, 2048u, (1u << 29) - 1}) {
    const auto bytes = Exactly(Varint(Tag(field, kVarint)) + Varint(300));
    Fault fault;
    Reader in(View(bytes), &fault);
    ASSERT_TRUE(in.Next());
    EXPECT_EQ(in.tag(), Tag(field, kVarint));
    EXPECT_EQ(in.field(), field);
    EXPECT_EQ(in.Varint(), 300u);
    EXPECT_FALSE(in.Next());
    EXPECT_FALSE(fault.is_set());
  }
}

TEST(ReaderTest, TagMayHaveMoreBytesThanNeeded) {
  const auto bytes = Exactly(std::string("\x88\x80\x00\x05", 4));
  Fault fault;
  Reader in(View(bytes), &fault);
  ASSERT_TRUE(in.Next());
  EXPECT_EQ(in.tag(), Tag(1, kVarint));
  EXPECT_EQ(in.Varint(), 5u);
  EXPECT_FALSE(fault.is_set());
}

TEST(ReaderTest, FieldZeroAndTagsOfMoreThan32BitsAreFaults) {
  for (const uint64_t tag : {0ull, 1ull, 7ull, 1ull << 32, (1ull << 32) + 8, ~0ull}) {
    const auto bytes = Exactly(Varint(tag) + std::string(4, '\x08'));
    Fault fault;
    Reader in(View(bytes), &fault);
    EXPECT_FALSE(in.Next()) << tag;
    EXPECT_STREQ(fault.what, "field number out of range");
    EXPECT_FALSE(in.Next());
  }
}

TEST(ReaderTest, TruncatedTagIsAFault) {
  const auto bytes = Exactly("\x88");
  Fault fault;
  Reader in(View(bytes), &fault);
  EXPECT_FALSE(in.Next());
  EXPECT_STREQ(fault.what, "number is truncated");
}

}  // namespace
}  // namespace flarestack::codec::wire
