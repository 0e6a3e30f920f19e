// SPDX-License-Identifier: Apache-2.0
//
// Tests for gauges (model/gauge_type.h) that every store must pass: averages over time, sums over
// instances, the same with and without roll-ups.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "store/testing/conformance.h"

namespace flarestack::store::testing {

class GaugeConformance : public StoreConformance {
 protected:
  // A snapshot of the memory in use by a service.
  static TextProfile Snapshot(std::string_view service, uint64_t time, int64_t cache,
                              int64_t index) {
    return {.service = std::string(service),
            .type = "inuse_space",
            .unit = "bytes",
            .time = time,
            .duration = 0,
            .lines = {base::StrCat("main;cache ", cache), base::StrCat("main;index ", index)}};
  }

  // One snapshot per minute from `from` on.
  void AppendMinutes(std::string_view service, uint64_t from, int count, int64_t cache) {
    std::vector<TextProfile> profiles;
    for (int i = 0; i < count; ++i)
      profiles.push_back(Snapshot(service, from + static_cast<uint64_t>(i) * kMinute, cache, 50));
    Append(profiles);
  }

  std::string InUse(TimeRange range, Detail detail) {
    ProfileQuery query = {.range = range, .detail = detail};
    query.series.types = SampleTypesFor("inuse_space");
    return Folded(query);
  }

  // "minute:value ..." of all series together.
  std::string Chart(TimeRange range, uint64_t step, bool without_stacks = true) {
    ProfileQuery query = {.range = range, .detail = Detail::kSteps, .step_nanos = step};
    query.without_stacks = without_stacks;
    const model::Batch batch = Select(query);
    std::map<uint64_t, int64_t> values;
    for (const model::Sample& sample : batch.samples) {
      for (uint32_t i = 0; i < sample.values.count; ++i)
        values[(batch.timestamps[sample.timestamps.begin + i] - kStart) / kMinute] +=
            batch.values[sample.values.begin + i];
    }
    std::string text;
    for (const auto& [minute, value] : values)
      base::StrAppend(&text, text.empty() ? "" : " ", minute, ":", value);
    return text;
  }
};

TEST_P(GaugeConformance, IsAveragedOverTimeAndNotSummed) {
  AppendMinutes("cart", kStart, 30, 1000);
  AppendMinutes("cart", kStart + 30 * kMinute, 30, 2000);
  const TimeRange hour = {.from = kStart, .to = kStart + kHour};
  for (const Detail detail : {Detail::kMerged, Detail::kSums}) {
    EXPECT_EQ(InUse(hour, detail), "main;cache 1500\nmain;index 50\n");
    EXPECT_EQ(InUse({.from = kStart, .to = kStart + 10 * kMinute}, detail),
              "main;cache 1000\nmain;index 50\n");
  }
  ASSERT_TRUE(store_->Maintain(kStart + 100 * kHour).ok());
  for (const Detail detail : {Detail::kMerged, Detail::kSums}) {
    EXPECT_EQ(InUse(hour, detail), "main;cache 1500\nmain;index 50\n");
    EXPECT_EQ(InUse({}, detail), "main;cache 1500\nmain;index 50\n");
    EXPECT_EQ(InUse({.from = kStart + 20 * kMinute, .to = kStart + 40 * kMinute + 7}, detail),
              "main;cache 1524\nmain;index 50\n");
  }
}

TEST_P(GaugeConformance, IsSummedOverInstances) {
  AppendMinutes("cart", kStart, 60, 1000);
  AppendMinutes("shop", kStart, 60, 300);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(InUse({.from = kStart, .to = kStart + kHour}, Detail::kMerged),
              "main;cache 1300\nmain;index 100\n");
    ASSERT_TRUE(store_->Maintain(kStart + 100 * kHour).ok());
  }
}

TEST_P(GaugeConformance, CountsAnInstanceWhileItWasPresent) {
  AppendMinutes("old", kStart, 30, 1000);
  AppendMinutes("new", kStart + 30 * kMinute, 30, 2000);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(InUse({.from = kStart, .to = kStart + kHour}, Detail::kMerged),
              "main;cache 1500\nmain;index 50\n");
    EXPECT_EQ(InUse({.from = kStart, .to = kStart + 30 * kMinute}, Detail::kMerged),
              "main;cache 1000\nmain;index 50\n");
    ASSERT_TRUE(store_->Maintain(kStart + 100 * kHour).ok());
  }
}

TEST_P(GaugeConformance, KeepsItsValueBetweenSnapshotsOfAChart) {
  Append({Snapshot("cart", kStart - 2 * kMinute, 90, 10), Snapshot("cart", kStart, 100, 0),
          Snapshot("cart", kStart + 2 * kMinute, 200, 0),
          Snapshot("cart", kStart + 4 * kMinute, 300, 0),
          Snapshot("shop", kStart + 3 * kMinute, 7, 0)});
  for (int round = 0; round < 2; ++round) {
    const TimeRange whole = {.from = kStart, .to = kStart + 12 * kMinute};
    // A single snapshot counts for five minutes, the last of several for two intervals.
    EXPECT_EQ(Chart(whole, kMinute), "0:100 1:100 2:200 3:207 4:307 5:307 6:307 7:307");
    EXPECT_EQ(Chart(whole, kMinute, false), Chart(whole, kMinute));
    EXPECT_EQ(Chart(whole, 4 * kMinute), "0:157 4:300 8:300");
    ASSERT_TRUE(store_->Maintain(kStart + 100 * kHour).ok());
  }
}

TEST_P(GaugeConformance, ReturnsEverySnapshot) {
  const std::vector<TextProfile> profiles = {Snapshot("cart", kStart, 100, 1),
                                             Snapshot("cart", kStart + kMinute, 200, 2)};
  Append(profiles);
  EXPECT_EQ(EventLines(Select({.detail = Detail::kSamples})), EventLines(MakeBatch(profiles)));
}

}  // namespace flarestack::store::testing
