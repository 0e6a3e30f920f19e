// SPDX-License-Identifier: Apache-2.0
#include "store/minute_totals.h"

#include <gtest/gtest.h>

namespace flarestack::store {
namespace {

MinuteTotals RoundTrip(const MinuteTotals& totals) {
  MinuteTotals decoded = {};
  const absl::Status status = DecodeMinuteTotals(EncodeMinuteTotals(totals), &decoded);
  EXPECT_TRUE(status.ok()) << status;
  return decoded;
}

TEST(MinuteTotals, ComeBackAsTheyWere) {
  MinuteTotals totals = {};
  EXPECT_EQ(RoundTrip(totals), totals);
  totals[0] = 30'000'000;
  totals[7] = -20'000'000;
  totals[59] = 10'000'001;
  EXPECT_EQ(RoundTrip(totals), totals);
  totals[1] = INT64_MAX;
  totals[2] = INT64_MIN;
  EXPECT_EQ(RoundTrip(totals), totals);
  totals.fill(INT64_MIN);
  EXPECT_EQ(RoundTrip(totals), totals);
}

TEST(MinuteTotals, OfAnHourOfTicksAreShort) {
  MinuteTotals totals = {};
  for (size_t i = 0; i < totals.size(); ++i)
    totals[i] = static_cast<int64_t>(600 + i) * 50'000'000;
  EXPECT_LE(EncodeMinuteTotals(totals).size(), 130u);
}

TEST(MinuteTotals, RefusesOtherBytes) {
  MinuteTotals totals = {};
  totals.fill(1000);
  const std::string bytes = EncodeMinuteTotals(totals);
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(DecodeMinuteTotals(std::string_view(bytes).substr(0, length), &totals).ok());
  EXPECT_FALSE(DecodeMinuteTotals(bytes + '\0', &totals).ok());
  EXPECT_FALSE(DecodeMinuteTotals('\7' + bytes.substr(1), &totals).ok());
}

TEST(MinuteTotals, AddUpTheStacksOfEachMinute) {
  MinuteSums minutes;
  minutes[3].stacks = {{.stack = 1, .value = 5, .events = 1},
                       {.stack = 9, .value = 7, .events = 1}};
  minutes[4].stacks = {{.stack = 1, .value = INT64_MAX, .events = 1},
                       {.stack = 2, .value = 1, .events = 1}};
  MinuteTotals expected = {};
  expected[3] = 12;
  expected[4] = INT64_MAX;
  EXPECT_EQ(TotalsOf(minutes), expected);
}

}  // namespace
}  // namespace flarestack::store
