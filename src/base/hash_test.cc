// SPDX-License-Identifier: Apache-2.0
//
// These hashes are stored on disk: they must never change, on any machine.
#include "base/hash.h"

#include <gtest/gtest.h>

namespace flarestack::base {
namespace {

TEST(HashTest, ContentHashesNeverChange) {
  EXPECT_EQ(HashContent("").ToHex(), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(HashContent("a").ToHex(), "a96faf705af16834e6c632b61e964e1f");
  EXPECT_EQ(HashContent("main;run").ToHex(), "332c1bee00b93e2c8cc8a4e2c7058aca");
  EXPECT_EQ(HashContent(std::string(200, 'x')).ToHex(), "062dfbe359870f1a0f7bed28ebd8500d");
  EXPECT_EQ(HashContent(std::string(1000, 'x')).ToHex(), "50a1af5a5f2dcf01c0a4877b962cba82");
}

TEST(HashTest, TableHashesNeverChange) {
  EXPECT_EQ(Hash64(""), 0x2d06800538d394c2U);
  EXPECT_EQ(Hash64("a"), 0xe6c632b61e964e1fU);
}

// Multiplying by 0 discards the other factor. No value that a sender can know may cause that.
TEST(HashTest, MixingWithAKnownNumberKeepsTheOther) {
  for (const uint64_t known :
       {uint64_t{0}, ~uint64_t{0}, uint64_t{0x9E3779B97F4A7C15}, uint64_t{0xC2B2AE3D27D4EB4F}}) {
    EXPECT_NE(Mix64(1, known), Mix64(2, known));
    EXPECT_NE(Mix64(known, 1), Mix64(known, 2));
  }
  EXPECT_EQ(Mix64(1, 2), Mix64(1, 2));
}

TEST(HashTest, HexKeepsLeadingZeros) {
  EXPECT_EQ((Hash128{.high = 1, .low = 0xabc}).ToHex(), "00000000000000010000000000000abc");
}

TEST(HashTest, OrdersByTheHighHalfFirst) {
  EXPECT_LT((Hash128{.high = 1, .low = 9}), (Hash128{.high = 2, .low = 0}));
  EXPECT_LT((Hash128{.high = 1, .low = 0}), (Hash128{.high = 1, .low = 1}));
}

}  // namespace
}  // namespace flarestack::base
