// SPDX-License-Identifier: Apache-2.0
#include "net/rate_limit.h"

#include <gtest/gtest.h>

namespace flarestack::net {
namespace {

using std::chrono::milliseconds;

class RateLimitTest : public ::testing::Test {
 protected:
  RateLimit Make(const RateLimit::Limits& limits) {
    return RateLimit(limits, [this] { return now_; });
  }
  void Pass(milliseconds time) { now_ += time; }

  RateLimit::Clock::time_point now_ = RateLimit::Clock::time_point(std::chrono::hours(1));
};

TEST_F(RateLimitTest, AllowsABurstOfOneSecondThenTheRate) {
  RateLimit limit = Make({.requests_per_second = 2});
  EXPECT_TRUE(limit.TakeRequest().ok());
  EXPECT_TRUE(limit.TakeRequest().ok());
  const absl::Status rejected = limit.TakeRequest();
  EXPECT_EQ(rejected.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(RetryDelay(rejected), milliseconds(500));
  Pass(milliseconds(500));
  EXPECT_TRUE(limit.TakeRequest().ok());
  EXPECT_FALSE(limit.TakeRequest().ok());
}

TEST_F(RateLimitTest, AllowsRatesBelowOneRequestPerSecond) {
  RateLimit limit = Make({.requests_per_second = 0.1});
  EXPECT_TRUE(limit.TakeRequest().ok());
  EXPECT_EQ(RetryDelay(limit.TakeRequest()), milliseconds(10'000));
}

TEST_F(RateLimitTest, DebtOfALargeRequestBlocksTheNext) {
  RateLimit limit = Make({.bytes_per_second = 1000});
  EXPECT_TRUE(limit.TakeRequest().ok());
  limit.PayBytes(3000);
  EXPECT_FALSE(limit.TakeRequest().ok());
  Pass(milliseconds(1999));
  EXPECT_FALSE(limit.TakeRequest().ok());
  Pass(milliseconds(2));
  EXPECT_TRUE(limit.TakeRequest().ok());
}

TEST_F(RateLimitTest, ZeroMeansUnlimited) {
  RateLimit limit = Make({});
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(limit.TakeRequest().ok());
    limit.PayBytes(1'000'000'000);
  }
}

TEST_F(RateLimitTest, StatusWithoutADelayHasNone) {
  EXPECT_EQ(RetryDelay(absl::UnavailableError("x")), std::nullopt);
}

}  // namespace
}  // namespace flarestack::net
