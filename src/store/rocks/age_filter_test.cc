// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/age_filter.h"

#include <gtest/gtest.h>

#include "base/byte_io.h"

namespace flarestack::store::rocks {
namespace {

constexpr uint32_t kDay = 20'000;

class AgeFilterTest : public ::testing::Test {
 protected:
  bool IsDropped(Family family, std::string_view key, std::string_view value) const {
    const AgeFilter filter(family, &hours_);
    return filter.Filter(0, ToSlice(key), ToSlice(value), nullptr, nullptr);
  }
  // An entry of the dictionary that was last used on that day.
  bool IsEntryDropped(uint32_t day) const {
    std::string value;
    base::AppendVarint(day, &value);
    return IsDropped(Family::kDictionary, "key", value);
  }
  bool IsProfileIdDropped(uint32_t hour) const {
    std::string value;
    base::AppendBigEndian(hour, &value);
    return IsDropped(Family::kProfileIds, "key", value);
  }

  OldestHours hours_;
};

TEST_F(AgeFilterTest, SharedEntriesFollowTheSignalThatIsKeptTheLongest) {
  EXPECT_FALSE(IsEntryDropped(1));
  for (const Signal signal : {Signal::kProfiles, Signal::kTraces, Signal::kLogs})
    hours_.Raise(signal, kDay * 24);
  EXPECT_FALSE(IsEntryDropped(1)) << "metrics are kept for ever";
  hours_.Raise(Signal::kMetrics, (kDay - 100) * 24);
  EXPECT_TRUE(IsEntryDropped(kDay - 110));
  EXPECT_FALSE(IsEntryDropped(kDay - 90));
  hours_.Raise(Signal::kMetrics, kDay * 24);
  EXPECT_TRUE(IsEntryDropped(kDay - 90));
}

TEST_F(AgeFilterTest, WhatIsOfOneSignalFollowsIt) {
  hours_.Raise(Signal::kLogs, kDay * 24);
  EXPECT_FALSE(IsProfileIdDropped(kDay * 24 - 1));
  hours_.Raise(Signal::kProfiles, kDay * 24);
  EXPECT_TRUE(IsProfileIdDropped(kDay * 24 - 1));
  EXPECT_FALSE(IsProfileIdDropped(kDay * 24));
  hours_.Raise(Signal::kProfiles, 5);  // never back
  EXPECT_TRUE(IsProfileIdDropped(kDay * 24 - 1));
}

}  // namespace
}  // namespace flarestack::store::rocks
