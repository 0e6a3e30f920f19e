// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/java/java_lines.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "record/runtime/java/java_method.h"

namespace flarestack::record::runtime {
namespace {

using std::string_view_literals::operator""sv;

TEST(CompressedNumbersTest, NumbersAreOneToFiveBytes) {
  CompressedNumbers in("\x00\xbf\xc0\x00\xff\xff\xff\xff\xff"sv, /*without_zero_bytes=*/false);
  EXPECT_EQ(in.Unsigned(), 0u);
  EXPECT_EQ(in.Unsigned(), 191u);
  EXPECT_EQ(in.Unsigned(), 192u);
  EXPECT_EQ(in.Unsigned(), 255u + (255u << 6) + (255u << 12) + (255u << 18) + (255u << 24));
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.Unsigned(), 0u);
  EXPECT_FALSE(in.ok());
}

TEST(CompressedNumbersTest, BytesAreLargerByOneSinceJdk20) {
  CompressedNumbers in("\x01\xbf\xc0\x01\x00"sv, /*without_zero_bytes=*/true);
  EXPECT_EQ(in.Unsigned(), 0u);
  EXPECT_EQ(in.Unsigned(), 190u);
  EXPECT_EQ(in.Unsigned(), 191u);
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.Unsigned(), 0u);  // a zero byte is not part of a number
  EXPECT_FALSE(in.ok());
}

TEST(CompressedNumbersTest, TheLowestBitIsTheSign) {
  CompressedNumbers in("\x00\x01\x02\x03"sv, false);
  EXPECT_EQ(in.Signed(), 0);
  EXPECT_EQ(in.Signed(), -1);
  EXPECT_EQ(in.Signed(), 1);
  EXPECT_EQ(in.Signed(), -2);
}

TEST(JavaLinesTest, FindsTheLineOfABytecode) {
  // bci 0 line 7 (escaped: +0, +7), bci 3 line 9, bci 35 line 8 (escaped: +32, -1), end.
  const JavaLines lines("\xff\x00\x0e\x1a\xff\x40\x01\x00\x77"sv, false);
  EXPECT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines.At(0), 7);
  EXPECT_EQ(lines.At(2), 7);
  EXPECT_EQ(lines.At(3), 9);
  EXPECT_EQ(lines.At(34), 9);
  EXPECT_EQ(lines.At(60000), 8);
}

TEST(JavaLinesTest, TruncatedTableYieldsWhatItHas) {
  const JavaLines lines("\xff\x00\x0e\xff\x40"sv, false);
  EXPECT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines.At(5), 7);
  EXPECT_EQ(JavaLines().At(5), 0);
}

TEST(JavaClassNameTest, DropsWhatDiffersFromRunToRun) {
  EXPECT_EQ(JavaClassName("com/shop/Cart"), "com.shop.Cart");
  EXPECT_EQ(JavaClassName("com/shop/Cart$Item"), "com.shop.Cart$Item");
  EXPECT_EQ(JavaClassName("com/shop/Cart$$Lambda$14+0x0000000800c03000"), "com.shop.Cart$$Lambda");
  EXPECT_EQ(JavaClassName("com/shop/Cart$$Lambda+0x00007f0001000a00"), "com.shop.Cart$$Lambda");
  EXPECT_EQ(JavaClassName("com/shop/Cart$$Lambda$3/791452441"), "com.shop.Cart$$Lambda");
  EXPECT_EQ(JavaClassName("java/lang/invoke/LambdaForm$MH+0x0000000800c01400"),
            "java.lang.invoke.LambdaForm$MH");
  EXPECT_EQ(JavaClassName("com/shop/v2/Cart"), "com.shop.v2.Cart");
}

}  // namespace
}  // namespace flarestack::record::runtime
