// SPDX-License-Identifier: Apache-2.0
#include "base/text/human_value.h"

#include <gtest/gtest.h>

#include <limits>

namespace flarestack::base {
namespace {

TEST(HumanValueTest, ScalesTimesToThreeDigits) {
  EXPECT_EQ(HumanValue(0, "nanoseconds"), "0 ns");
  EXPECT_EQ(HumanValue(999, "nanoseconds"), "999 ns");
  EXPECT_EQ(HumanValue(1'234, "nanoseconds"), "1.23 µs");
  EXPECT_EQ(HumanValue(1'234'567'890, "nanoseconds"), "1.23 s");
  EXPECT_EQ(HumanValue(45'600'000, "nanoseconds"), "45.6 ms");
  EXPECT_EQ(HumanValue(119, "seconds"), "119 s");
  EXPECT_EQ(HumanValue(150, "seconds"), "2.50 min");
  EXPECT_EQ(HumanValue(7'200'000, "milliseconds"), "2 h");
  EXPECT_EQ(HumanValue(-1'500, "microseconds"), "-1.50 ms");
}

TEST(HumanValueTest, ScalesSizesByPowersOf1024) {
  EXPECT_EQ(HumanValue(1023, "bytes"), "1023 B");
  EXPECT_EQ(HumanValue(1536, "bytes"), "1.50 KiB");
  EXPECT_EQ(HumanValue(4'831'838'208, "bytes"), "4.50 GiB");
  EXPECT_EQ(HumanValue(2048, "kilobytes"), "2 MiB");
}

TEST(HumanValueTest, WritesOtherUnitsInFull) {
  EXPECT_EQ(HumanValue(1'234'567, "count"), "1,234,567");
  EXPECT_EQ(HumanValue(-1'234, ""), "-1,234");
  EXPECT_EQ(HumanValue(999, "widgets"), "999 widgets");
  EXPECT_EQ(GroupDigits(std::numeric_limits<int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(HumanValueTest, StripsBracesFromMetricAnnotations) {
  EXPECT_EQ(HumanValue(1'234, "{request}"), "1,234 request");
  EXPECT_EQ(HumanValue(5, "{packet}/s"), "5 packet/s");
  EXPECT_EQ(HumanValue(7, "1"), "7");
  EXPECT_EQ(WithUnit("0.5", "1/s"), "0.5/s");
  EXPECT_EQ(WithUnit("0.5", "By"), "0.5 By");
  EXPECT_EQ(WithUnit("0.5", "{}"), "0.5");
}

TEST(HumanValueTest, PercentOfZeroIsZero) {
  EXPECT_EQ(Percent(1, 3), "33.33 %");
  EXPECT_EQ(Percent(5, 0), "0 %");
}

}  // namespace
}  // namespace flarestack::base
