// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/database/age_filter.h"

#include <gtest/gtest.h>

#include "base/byte_reader.h"
#include "model/signal.h"
#include "store/rocks/database/entry_stamp.h"

namespace flarestack::store::rocks {
namespace {

constexpr uint32_t kDay = 20'000;

class AgeFilterTest : public ::testing::Test {
 protected:
  bool IsDropped(Family family, std::string_view key, std::string_view value) const {
    const AgeFilter filter(family, &hours_);
    return filter.Filter(0, ToSlice(key), ToSlice(value), nullptr, nullptr);
  }
  bool IsEntryDropped(uint32_t stamp) const {
    std::string value;
    base::AppendVarint(stamp, &value);
    return IsDropped(Family::kDictionary, "key", value);
  }
  OldestHours hours_;
};

TEST_F(AgeFilterTest, SharedEntriesFollowTheLongestRetention) {
  EXPECT_FALSE(IsEntryDropped(1));
  for (const model::Signal signal :
       {model::Signal::kProfiles, model::Signal::kTraces, model::Signal::kLogs})
    hours_.Raise(signal, kDay * 24);
  EXPECT_FALSE(IsEntryDropped(1)) << "metrics are kept forever";
  hours_.Raise(model::Signal::kMetrics, (kDay - 100) * 24);
  EXPECT_TRUE(IsEntryDropped(kDay - 110));
  EXPECT_FALSE(IsEntryDropped(kDay - 90));
  hours_.Raise(model::Signal::kMetrics, kDay * 24);
  EXPECT_TRUE(IsEntryDropped(kDay - 90));
}

// Data of hour 499'994 + 6 may use it.
TEST_F(AgeFilterTest, EntryOutlivesItsStampByAFewHours) {
  for (const model::Signal signal : model::kSignals)
    hours_.Raise(signal, 500'000);
  EXPECT_FALSE(IsEntryDropped(500'000 - kStampHours));
  EXPECT_TRUE(IsEntryDropped(500'000 - kStampHours - 1));
}

TEST_F(AgeFilterTest, StampsFollowTheDataAndNeverDecrease) {
  const uint32_t first = NextStamp(0, 500'000);
  EXPECT_EQ(first, 500'000u);
  EXPECT_EQ(NextStamp(first, 500'000 + kStampHours), first);
  EXPECT_EQ(NextStamp(first, 500'001 + kStampHours), 500'001u + kStampHours);
  EXPECT_EQ(NextStamp(first, 400'000), first);
}

}  // namespace
}  // namespace flarestack::store::rocks
