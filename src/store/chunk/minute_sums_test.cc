// SPDX-License-Identifier: Apache-2.0
#include "store/chunk/minute_sums.h"

#include <gtest/gtest.h>

namespace flarestack::store {
namespace {

MinuteTotals RoundTrip(const MinuteTotals& totals) {
  MinuteTotals decoded;
  const absl::Status status = DecodeMinuteTotals(EncodeMinuteTotals(totals), &decoded);
  EXPECT_TRUE(status.ok()) << status;
  return decoded;
}

TEST(MinuteTotals, RoundTrip) {
  MinuteTotals totals;
  EXPECT_EQ(RoundTrip(totals), totals);
  totals.values[0] = 30'000'000;
  totals.values[7] = -20'000'000;
  totals.values[59] = 10'000'001;
  totals.profiles[0] = 1;
  totals.profiles[59] = UINT64_MAX;
  EXPECT_EQ(RoundTrip(totals), totals);
  totals.values[1] = INT64_MAX;
  totals.values[2] = INT64_MIN;
  EXPECT_EQ(RoundTrip(totals), totals);
  totals.values.fill(INT64_MIN);
  EXPECT_EQ(RoundTrip(totals), totals);
}

TEST(MinuteTotals, AreSmallForAnHourOfTicks) {
  MinuteTotals totals;
  for (size_t i = 0; i < totals.values.size(); ++i)
    totals.values[i] = static_cast<int64_t>(600 + i) * 50'000'000;
  totals.profiles.fill(6);
  EXPECT_LE(EncodeMinuteTotals(totals).size(), 190u);
}

TEST(MinuteTotals, FirstVersionHasNoProfileCount) {
  MinuteTotals totals;
  totals.values.fill(1000);
  std::string bytes = EncodeMinuteTotals(totals);
  bytes[0] = '\1';
  bytes.resize(bytes.size() - totals.profiles.size());  // one byte each
  MinuteTotals decoded;
  ASSERT_TRUE(DecodeMinuteTotals(bytes, &decoded).ok());
  EXPECT_EQ(decoded.values, totals.values);
  EXPECT_FALSE(decoded.has_profiles);
}

TEST(MinuteTotals, RejectsInvalidBytes) {
  MinuteTotals totals;
  totals.values.fill(1000);
  const std::string bytes = EncodeMinuteTotals(totals);
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(DecodeMinuteTotals(std::string_view(bytes).substr(0, length), &totals).ok());
  EXPECT_FALSE(DecodeMinuteTotals(bytes + '\0', &totals).ok());
  EXPECT_FALSE(DecodeMinuteTotals('\7' + bytes.substr(1), &totals).ok());
}

TEST(MinuteTotals, SumTheStacksOfEachMinute) {
  MinuteSums minutes;
  minutes[3].stacks = {{.stack = 1, .value = 5, .events = 1},
                       {.stack = 9, .value = 7, .events = 1}};
  minutes[4].stacks = {{.stack = 1, .value = INT64_MAX, .events = 1},
                       {.stack = 2, .value = 1, .events = 1}};
  minutes[4].profile_count = 2;
  MinuteTotals expected;
  expected.values[3] = 12;
  expected.values[4] = INT64_MAX;
  expected.profiles[4] = 2;
  EXPECT_EQ(TotalsOf(minutes), expected);
}

}  // namespace
}  // namespace flarestack::store
