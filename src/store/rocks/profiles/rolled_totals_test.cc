// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/profiles/rolled_totals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "model/attribute_text.h"
#include "store/rocks/database/keys.h"
#include "store/rocks/rocks_store.h"
#include "store/testing/event_text.h"

namespace flarestack::store::rocks {
namespace {

constexpr uint64_t kMinute = kNanosPerMinute;
constexpr uint64_t kHour = kNanosPerHour;
constexpr uint64_t kStart = uint64_t{490'896} * kHour;
constexpr int kServices = 70;  // more than one scan reads
constexpr uint64_t kHours = 5;

class RolledTotalsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = ::testing::TempDir() + "totals_XXXXXX";
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
    Reopen();
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(directory_);
  }

  void Reopen() {
    store_.reset();
    auto opened = OpenRocksStore(
        {.directory = directory_, .sync_each_commit = false, .memory_bytes_max = 64 << 20});
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
  }

  void Append(const std::vector<testing::TextProfile>& profiles) {
    const auto appended = store_->AppendProfiles(testing::MakeBatch(profiles));
    ASSERT_TRUE(appended.ok()) << appended.status();
  }

  // Each service has samples in some of the hours.
  void Fill() {
    std::mt19937 random(5);
    for (uint64_t hour = 0; hour < kHours; ++hour) {
      std::vector<testing::TextProfile> profiles;
      for (int service = 0; service < kServices; ++service) {
        if (random() % 3 == 0)
          continue;
        testing::TextProfile profile = {.service = base::StrCat("s", service),
                                        .time = kStart + hour * kHour};
        for (uint64_t i = 0; i < 1 + random() % 5; ++i) {
          profile.lines.push_back(base::StrCat("main;f", random() % 3, " @",
                                               profile.time + random() % 3600 * 1'000'000'000, " ",
                                               static_cast<int>(random() % 2000) - 100));
        }
        profiles.push_back(std::move(profile));
      }
      Append(profiles);
    }
  }

  struct StepsRequest {
    TimeRange range;
    uint64_t step = 0;
    std::string selector = {};
  };

  using Lines = std::vector<std::string>;  // "service time value", sorted

  Lines Steps(const StepsRequest& request, bool without_stacks = true) {
    ProfileQuery query = {.range = request.range,
                          .detail = Detail::kSteps,
                          .step_nanos = request.step,
                          .without_stacks = without_stacks};
    if (!request.selector.empty())
      query.series.matchers = *ParseSelector(request.selector);
    const auto batch = store_->SelectProfiles(query);
    EXPECT_TRUE(batch.ok()) << batch.status();
    std::map<std::pair<std::string, uint64_t>, int64_t> sums;
    for (const model::Resource& resource : batch->resources) {
      const model::KeyValue& name = batch->dictionary.nodes[resource.attributes.begin];
      const std::string service = model::AttributeText(batch->dictionary, name.value);
      for (const model::Scope& scope : model::In(batch->scopes, resource.scopes)) {
        for (const model::Profile& profile : model::In(batch->profiles, scope.profiles)) {
          for (const model::Sample& sample : model::In(batch->samples, profile.samples)) {
            const auto values = model::In(batch->values, sample.values);
            const auto times = model::In(batch->timestamps, sample.timestamps);
            for (size_t i = 0; i < times.size(); ++i)
              sums[{service, times[i] - kStart}] += values[i];
          }
        }
      }
    }
    Lines lines;
    for (const auto& [place, value] : sums) {
      if (value != 0)
        lines.push_back(base::StrCat(place.first, " ", place.second, " ", value));
    }
    return lines;
  }

  static std::vector<StepsRequest> StepsRequests() {
    const TimeRange all = {.from = kStart, .to = kStart + kHours * kHour};
    const TimeRange cut = {.from = kStart + 7 * kMinute, .to = all.to - 90 * kMinute};
    const TimeRange odd = {.from = kStart + 5, .to = all.to - 12'345};
    return {{all, 5 * kMinute},
            {all, kHour},
            {all, 7 * kMinute},
            {all, kHours * kHour},
            {{.from = kStart - 5 * kHour, .to = all.to + 9 * kHour}, 2 * kHour},
            {cut, kMinute},
            {cut, 45 * kMinute},
            {cut, 90 * 1'000'000'000ull},
            {odd, 10 * kMinute},
            {odd, kHours * kHour},
            {all, 5 * kMinute, R"({service.name="s69"})"},
            {all, 5 * kMinute, R"({service.name=~"s1|s40|s66"})"}};
  }

  std::vector<Lines> Answers() {
    std::vector<Lines> responses;
    for (const StepsRequest& request : StepsRequests())
      responses.push_back(Steps(request));
    return responses;
  }

  // Number of hours of a series that have a roll-up of this level.
  size_t CountRollups(RollupLevel level) {
    store_.reset();
    const auto database = Database::Open(
        {.directory = directory_, .memory = SharedMemory::Make(16 << 20), .read_only = true});
    EXPECT_TRUE(database.ok()) << database.status();
    size_t count = 0;
    const auto at = (*database)->NewIterator(Family::kRollups);
    for (at->SeekToFirst(); at->Valid(); at->Next())
      count += RollupKey::Decode(ToView(at->key()))->level == level ? 1 : 0;
    return count;
  }

  std::string directory_;
  std::unique_ptr<Store> store_;
};

TEST_F(RolledTotalsTest, MatchTheSamples) {
  Fill();
  const std::vector<Lines> before = Answers();
  for (const Lines& response : before)
    ASSERT_FALSE(response.empty());
  ASSERT_TRUE(store_->Maintain(kStart + 2 * kHour + kHour / 2).ok());
  EXPECT_EQ(Answers(), before);  // some hours have roll-ups
  ASSERT_TRUE(store_->Maintain(kStart + 100 * kHour).ok());
  EXPECT_EQ(Answers(), before);  // all hours have roll-ups
  EXPECT_GT(CountRollups(RollupLevel::kTotals), kServices);
  EXPECT_EQ(CountRollups(RollupLevel::kTotals), CountRollups(RollupLevel::kHour));
}

TEST_F(RolledTotalsTest, LateSampleInvalidatesThemUntilMaintenance) {
  Fill();
  ASSERT_TRUE(store_->Maintain(kStart + 100 * kHour).ok());
  const uint64_t time = kStart + kHour + 30 * kMinute;
  Append({{.service = "s1", .time = time, .lines = {base::StrCat("late @", time, " 70000")}}});
  const std::vector<Lines> late = Answers();
  EXPECT_TRUE(std::ranges::any_of(late.front(), [&](const std::string& line) {
    return line.starts_with(base::StrCat("s1 ", time - kStart, " "));
  }));
  ASSERT_TRUE(store_->Maintain(kStart + 101 * kHour).ok());
  EXPECT_EQ(Answers(), late);
}

TEST_F(RolledTotalsTest, MatchTheSumOfTheStacks) {
  Fill();
  ASSERT_TRUE(store_->Maintain(kStart + 100 * kHour).ok());
  for (const StepsRequest& request : StepsRequests())
    EXPECT_EQ(Steps(request), Steps(request, false));
}

TEST_F(RolledTotalsTest, TotalsOfAllServicesMatchThoseOfEach) {
  Fill();
  ASSERT_TRUE(store_->Maintain(kStart + 100 * kHour).ok());
  StepsRequest request = StepsRequests().front();
  Lines of_each;
  for (int service = 0; service < kServices; ++service) {
    request.selector = base::StrCat("{service.name=\"s", service, "\"}");
    const Lines lines = Steps(request);
    of_each.insert(of_each.end(), lines.begin(), lines.end());
  }
  request.selector.clear();
  Lines of_all = Steps(request);
  std::ranges::sort(of_each);
  std::ranges::sort(of_all);
  EXPECT_EQ(of_all, of_each);
}

TEST_F(RolledTotalsTest, AreDroppedWithTheirHours) {
  Fill();
  ASSERT_TRUE(store_->Maintain(kStart + 100 * kHour).ok());
  ASSERT_TRUE(store_->DropBefore(SignalTimes::All(kStart + kHours * kHour)).ok());
  EXPECT_EQ(CountRollups(RollupLevel::kTotals), 0u);
}

}  // namespace
}  // namespace flarestack::store::rocks
