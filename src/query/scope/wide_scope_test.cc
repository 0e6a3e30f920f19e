// SPDX-License-Identifier: Apache-2.0
//
// A query over many services must equal the sum of the queries for each of them.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "query/flame/value_tree.h"
#include "query/scope/profile_scope.h"
#include "query/scope/time_series.h"
#include "store/rocks/rocks_store.h"
#include "store/testing/event_text.h"

namespace flarestack::query {
namespace {

constexpr uint64_t kHour = 3'600'000'000'000;
constexpr uint64_t kStart = uint64_t{500'016} * kHour;  // start of a day
constexpr int kServices = 70;

class WideScopeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = ::testing::TempDir() + "wide_XXXXXX";
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
    auto opened = store::OpenRocksStore({.directory = directory_, .sync_each_commit = false});
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(directory_);
  }

  // Services share some functions and stacks.
  void Fill(uint64_t hour) {
    std::vector<store::testing::TextProfile> profiles;
    for (int service = 0; service < kServices; ++service) {
      store::testing::TextProfile profile = {.service = base::StrCat("s", service),
                                             .time = kStart + hour * kHour};
      for (int i = 0; i < 12; ++i) {
        std::string line = base::StrCat("main;shared", random_() % 4);
        for (uint32_t depth = 0; depth < random_() % 6; ++depth)
          base::StrAppend(&line, ";s", service, "_f", random_() % 9);
        const uint64_t time = profile.time + random_() % 3600 * 1'000'000'000;
        profile.lines.push_back(base::StrCat(line, " @", time, " ", 1 + random_() % 50));
      }
      profiles.push_back(std::move(profile));
    }
    ASSERT_TRUE(store_->AppendProfiles(store::testing::MakeBatch(profiles)).ok());
  }

  static ProfileScope Scope(uint64_t hours, const std::string& service = {}) {
    ProfileScope scope;
    scope.type = "cpu";
    scope.range = {.from = kStart, .to = kStart + hours * kHour};
    if (!service.empty())
      scope.matchers = *store::ParseSelector(base::StrCat("{service.name=\"", service, "\"}"));
    return scope;
  }

  using Paths = std::map<std::string, int64_t>;

  // Adds the self cost of each call path, as in the flame graph of the scope.
  void AddPaths(const ProfileScope& scope, Paths* paths) {
    const auto stacks = ReadStacks(DataSource(DataSource(store_.get())), scope, {});
    ASSERT_TRUE(stacks.ok()) << stacks.status();
    const auto tree = MakeValueTree(stacks->set);
    ASSERT_TRUE(tree.ok()) << tree.status();
    std::vector<std::string> names(tree->nodes.size());
    for (size_t i = 1; i < tree->nodes.size(); ++i) {
      const ValueTree::Node& node = tree->nodes[i];
      names[i] = base::StrCat(names[node.parent], ";", tree->frames[node.frame].name);
      if (tree->self[0][i] != 0)
        (*paths)[names[i]] += tree->self[0][i];
    }
  }
  Paths PathsOfAll(uint64_t hours) {
    Paths paths;
    AddPaths(Scope(hours), &paths);
    return paths;
  }
  Paths PathsOfEach(uint64_t hours) {
    Paths paths;
    for (int service = 0; service < kServices; ++service)
      AddPaths(Scope(hours, base::StrCat("s", service)), &paths);
    return paths;
  }

  std::mt19937 random_{11};
  std::string directory_;
  std::unique_ptr<store::Store> store_;
};

TEST_F(WideScopeTest, FlameGraphOfAllServicesIsTheSumOfEach) {
  for (uint64_t hour = 0; hour < 5; ++hour)
    Fill(hour);
  const Paths all = PathsOfAll(5);
  EXPECT_GT(all.size(), 1000u);
  EXPECT_EQ(all, PathsOfEach(5));
  EXPECT_EQ(all, PathsOfAll(5));  // with stacks and names from the cache
  ASSERT_TRUE(store_->Maintain(kStart + 100 * kHour).ok());
  EXPECT_EQ(all, PathsOfAll(5));
  // New stacks in addition to cached ones, and queries with fewer stacks.
  Fill(5);
  EXPECT_EQ(PathsOfAll(6), PathsOfEach(6));
  EXPECT_EQ(PathsOfAll(5), all);
  EXPECT_EQ(PathsOfAll(1), PathsOfEach(1));
}

TEST_F(WideScopeTest, SeriesByServiceMatchesTheSeriesOfEach) {
  for (uint64_t hour = 0; hour < 5; ++hour)
    Fill(hour);
  // The last hour is not rolled up.
  ASSERT_TRUE(store_->Maintain(kStart + 4 * kHour + kHour / 2).ok());
  for (const uint64_t step : {kHour / 60, kHour / 12, kHour, kHour / 300}) {
    const auto all =
        ReadTimeSeries(DataSource(DataSource(store_.get())), Scope(5),
                       {.step_nanos = step, .by = {"service.name"}, .lines_max = 100}, {});
    ASSERT_TRUE(all.ok()) << all.status();
    ASSERT_EQ(all->lines.size(), static_cast<size_t>(kServices));
    for (const TimeSeriesLine& line : all->lines) {
      const auto one = ReadTimeSeries(DataSource(DataSource(store_.get())),
                                      Scope(5, line.labels[0]), {.step_nanos = step}, {});
      ASSERT_TRUE(one.ok()) << one.status();
      ASSERT_EQ(one->lines.size(), 1u);
      EXPECT_EQ(one->lines[0].total, line.total);
      EXPECT_EQ(one->lines[0].values, line.values);
      // Stacks are computed independently of the totals that charts use.
      EXPECT_EQ(ReadStacks(DataSource(DataSource(store_.get())), Scope(5, line.labels[0]), {})
                    ->set.Total(),
                line.total);
    }
  }
}

}  // namespace
}  // namespace flarestack::query
