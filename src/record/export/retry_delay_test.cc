// SPDX-License-Identifier: Apache-2.0
#include "record/export/retry_delay.h"

#include <gtest/gtest.h>

namespace flarestack::record::exporting {
namespace {

using std::chrono::milliseconds;

TEST(BackOffTest, DoublesUpToTheMaximumWithJitter) {
  const BackOffLimits limits = {.first = milliseconds(100), .longest = milliseconds(1000)};
  const int64_t expected[] = {100, 200, 400, 800, 1000, 1000};
  for (int failures = 0; failures < 6; ++failures) {
    for (int i = 0; i < 100; ++i) {
      const int64_t delay = BackOff(failures, limits).count();
      EXPECT_GE(delay, expected[failures] / 2);
      EXPECT_LT(delay, expected[failures] * 3 / 2);
    }
  }
  EXPECT_LT(BackOff(2'000'000'000, limits), milliseconds(1500));
}

TEST(RetryAfterTest, ParsesSecondsOrADate) {
  const auto now = std::chrono::system_clock::from_time_t(784111777);  // Sun, 06 Nov 1994 08:49:37
  EXPECT_EQ(ParseRetryAfter("120", now), milliseconds(120'000));
  EXPECT_EQ(ParseRetryAfter("Sun, 06 Nov 1994 08:49:47 GMT", now), milliseconds(10'000));
  EXPECT_EQ(ParseRetryAfter("Sun, 06 Nov 1994 08:00:00 GMT", now), milliseconds(0));
  EXPECT_EQ(ParseRetryAfter("", now), std::nullopt);
  EXPECT_EQ(ParseRetryAfter("-1", now), std::nullopt);
  EXPECT_EQ(ParseRetryAfter("soon", now), std::nullopt);
}

}  // namespace
}  // namespace flarestack::record::exporting
