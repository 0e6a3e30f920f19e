// SPDX-License-Identifier: Apache-2.0
//
// Compares the engine with a simple reference: export all samples once, then loop over them.
#include "query/scope/profile_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <map>
#include <random>

#include "base/text/text.h"
#include "query/reports/events.h"
#include "query/scope/emptiness.h"
#include "query/scope/time_series.h"
#include "query/stacks/stack_set_batch.h"
#include "query/testing/stack_text.h"
#include "store/rocks/rocks_store.h"
#include "store/testing/event_text.h"

namespace flarestack::query {
namespace {

using store::testing::TextProfile;
using ::testing::ElementsAre;

constexpr uint64_t kHour = 3'600'000'000'000;
constexpr uint64_t kStart = 500'000 * kHour;

class ProfileScopeTest : public ::testing::Test {
 protected:
  ProfileScopeTest() {
    std::string name = ::testing::TempDir() + "scope_XXXXXX";
    directory_ = mkdtemp(name.data());
    auto opened = store::OpenRocksStore({.directory = directory_});
    EXPECT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
  }
  ~ProfileScopeTest() override {
    store_.reset();
    std::filesystem::remove_all(directory_);
  }

  void Append(const std::vector<TextProfile>& profiles) {
    EXPECT_TRUE(store_->AppendProfiles(store::testing::MakeBatch(profiles)).ok());
  }

  std::string Read(const ProfileScope& scope) {
    const auto stacks = ReadStacks(DataSource(DataSource(store_.get())), scope, {});
    if (!stacks.ok())
      return std::string(stacks.status().message());
    return Sorted(testing::ToText(stacks->set));
  }

  static std::string Sorted(const std::string& text) {
    std::vector<std::string> lines;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = text.find('\n', begin);
      lines.push_back(text.substr(begin, end - begin + 1));
      begin = end + 1;
    }
    std::ranges::sort(lines);
    std::string sorted;
    for (const std::string& line : lines)
      sorted += line;
    return sorted;
  }

  static ProfileScope Scope(std::string_view selector, const std::vector<std::string>& steps = {}) {
    ProfileScope scope;
    scope.matchers = *store::ParseSelector(selector);
    scope.type = "cpu";
    for (const std::string& step : steps)
      EXPECT_TRUE(scope.filter.Add(step).ok()) << step;
    return scope;
  }

  std::string directory_;
  std::unique_ptr<store::Store> store_;
};

TEST_F(ProfileScopeTest, InternalFramesStayMarkedInTheStore) {
  StackSet set = testing::FromText(
      "main;run%;Shop.checkout%cpython;eval% 5\n"
      "main;run%;Shop.checkout%cpython;eval%;read 3\n");
  set.type = "cpu";
  set.unit = "nanoseconds";
  const auto batch = ToBatch(set, kStart);
  ASSERT_TRUE(batch.ok()) << batch.status();
  ASSERT_TRUE(store_->AppendProfiles(*batch).ok());
  EXPECT_EQ(Read(Scope("")), "main;Shop.checkout 5\nmain;Shop.checkout;read 3\n");
  EXPECT_EQ(Read(Scope("", {"internals"})),
            "main;run;Shop.checkout;eval 5\nmain;run;Shop.checkout;eval;read 3\n");
}

struct Sample {
  std::string service;
  std::string thread;
  std::vector<std::string> frames;
  uint64_t time = 0;
  int64_t value = 0;
};

TEST_F(ProfileScopeTest, MatchesAPlainLoop) {
  std::mt19937 random(5);
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  std::vector<Sample> samples;
  for (int i = 0; i < 400; ++i) {
    Sample sample = {.service = base::StrCat("s", below(3)),
                     .thread = below(3) == 0 ? "" : base::StrCat("t", below(2)),
                     .time = kStart + below(30 * 3600) * uint64_t{1'000'000'000} + below(1000),
                     .value = below(100) + 1};
    for (uint32_t depth = 0; depth <= below(5); ++depth)
      sample.frames.push_back(base::StrCat("f", below(6)));
    std::string line;
    for (const std::string& frame : sample.frames)
      base::StrAppend(&line, line.empty() ? "" : ";", frame);
    base::StrAppend(&line, " @", sample.time, " ", sample.value);
    if (!sample.thread.empty())
      base::StrAppend(&line, " thread=", sample.thread);
    Append({{.service = sample.service, .time = sample.time, .lines = {line}}});
    samples.push_back(std::move(sample));
  }
  ASSERT_TRUE(store_->Maintain(kStart + 100 * kHour).ok());

  struct Case {
    std::string selector;
    std::function<bool(const Sample&)> accepts;
  };
  const std::vector<Case> selectors = {
      {"{}", [](const Sample&) { return true; }},
      {R"({service.name="s1"})", [](const Sample& s) { return s.service == "s1"; }},
      {R"({service.name!="s1"})", [](const Sample& s) { return s.service != "s1"; }},
      {R"({thread="t0"})", [](const Sample& s) { return s.thread == "t0"; }},
      {R"({thread!="t0",service.name=~"s[01]"})",
       [](const Sample& s) { return s.thread != "t0" && s.service != "s2"; }},
  };
  const auto has = [](const Sample& s, std::string_view frame) {
    return std::ranges::find(s.frames, frame) != s.frames.end();
  };
  for (int round = 0; round < 300; ++round) {
    const Case& selector = selectors[random() % selectors.size()];
    const uint64_t from = below(2) == 0 ? kStart + below(30) * kHour
                                        : kStart + below(30 * 3600) * uint64_t{1'000'000'000};
    const uint64_t to = from + 1 + (below(2) == 0 ? below(20) * kHour : random() % kHour);
    const uint32_t step = below(4);
    const std::vector<std::string> steps =
        step == 0 ? std::vector<std::string>()
                  : (step == 1 ? std::vector<std::string>{"only:^f2$"}
                               : (step == 2 ? std::vector<std::string>{"drop:^f3$"}
                                            : std::vector<std::string>{"hide:^f1$"}));
    std::map<std::string, int64_t> expected;
    int64_t total = 0;
    for (const Sample& sample : samples) {
      if (!selector.accepts(sample) || sample.time < from || sample.time >= to)
        continue;
      if ((step == 1 && !has(sample, "f2")) || (step == 2 && has(sample, "f3")))
        continue;
      std::string stack;
      for (const std::string& frame : sample.frames) {
        if (step != 3 || frame != "f1")
          base::StrAppend(&stack, stack.empty() ? "" : ";", frame);
      }
      if (stack.empty())
        continue;
      expected[stack] += sample.value;
      total += sample.value;
    }
    std::string text;
    for (const auto& [stack, value] : expected)
      base::StrAppend(&text, stack, " ", value, "\n");
    ProfileScope scope = Scope(selector.selector, steps);
    scope.range = {.from = from, .to = to};
    ASSERT_EQ(Read(scope), Sorted(text)) << selector.selector << from << " " << to;

    const auto series = ReadTimeSeries(DataSource(DataSource(store_.get())), scope,
                                       {.step_nanos = (1 + below(90)) * kHour / 60}, {});
    ASSERT_TRUE(series.ok()) << series.status();
    EXPECT_EQ(series->lines.empty() ? 0 : series->lines[0].total, total);
    const auto events =
        ReadEvents(DataSource(DataSource(store_.get())), scope, {.lane_keys = {"thread"}}, {});
    ASSERT_TRUE(events.ok()) << events.status();
    int64_t of_events = 0;
    for (const Event& event : events->events)
      of_events += event.value;
    EXPECT_EQ(of_events, total);
  }
}

TEST_F(ProfileScopeTest, CountsSamplesInTheUnitOfTheirPeriod) {
  Append({{.type = "samples", .unit = "count", .period = 10, .time = kStart, .lines = {"a 3"}}});
  ProfileScope scope = Scope("{}");
  scope.type = "samples:count";
  EXPECT_EQ(Read(scope), "a 3\n");
}

TEST_F(ProfileScopeTest, DefaultsToCpuTime) {
  Append({{.type = "alloc_objects", .unit = "count", .time = kStart, .lines = {"o 7"}}});
  ProfileScope scope = Scope("{}");
  scope.type = "";
  EXPECT_EQ(Read(scope), "o 7\n");
  Append({{.type = "alloc_space", .unit = "bytes", .time = kStart, .lines = {"m 9"}}});
  EXPECT_EQ(Read(scope), "m 9\n");
  Append({{.type = "inuse_space", .unit = "bytes", .time = kStart, .lines = {"u 8"}}});
  EXPECT_EQ(Read(scope), "u 8\n");
  Append({{.time = kStart, .lines = {"a 3"}}});
  EXPECT_EQ(Read(scope), "a 3\n");
}

TEST_F(ProfileScopeTest, ReturnsAPartialResultAtTheDeadline) {
  for (int i = 0; i < 50; ++i)
    Append({{.service = base::StrCat("s", i), .time = kStart, .lines = {"a 1"}}});
  ReadLimits limits;
  limits.deadline = std::chrono::steady_clock::now();
  const auto late = ReadStacks(DataSource(DataSource(store_.get())), Scope("{}"), limits);
  ASSERT_TRUE(late.ok());
  EXPECT_THAT(late->extent.missing, ::testing::HasSubstr("parts were not read in time"));
  EXPECT_LT(late->set.Total(), 50);
  limits.deadline = std::chrono::steady_clock::time_point::max();
  limits.try_reserve = [](uint64_t) { return false; };
  EXPECT_TRUE(absl::IsResourceExhausted(
      ReadStacks(DataSource(DataSource(store_.get())), Scope("{}"), limits).status()));
}

TEST_F(ProfileScopeTest, ReportsWhyThereIsNoData) {
  const auto why = [&](const ProfileScope& scope) {
    const auto stacks = ReadStacks(DataSource(DataSource(store_.get())), scope, {});
    const auto emptiness = ExplainEmpty(DataSource(DataSource(store_.get())), scope,
                                        stacks.ok() && stacks->total_before_filter != 0);
    return emptiness.ok() ? *emptiness : Emptiness{.reason = emptiness.status().ToString()};
  };
  EXPECT_EQ(why(Scope("{}")).reason, "no profiles are stored yet");
  Append({{.time = kStart + 5 * kHour, .lines = {"a;b 1"}}});
  EXPECT_EQ(why(Scope(R"({service.name="x"})")).matcher, R"({service.name="x"})");
  ProfileScope later = Scope("{}");
  later.range = {.from = kStart + 9 * kHour, .to = kStart + 10 * kHour};
  EXPECT_EQ(why(later).nearest_nanos, kStart + 5 * kHour);
  ProfileScope wall = Scope("{}");
  wall.type = "wall";
  EXPECT_THAT(why(wall).types, ElementsAre("cpu:nanoseconds"));
  EXPECT_EQ(why(Scope("{}", {"only:a", "drop:b", "hide:c"})).step, "drop:b");
}

TEST_F(ProfileScopeTest, ChartsByAttribute) {
  Append({{.service = "s1",
           .time = kStart,
           .lines = {base::StrCat("a @", kStart + 1, " 1 thread=x"),
                     base::StrCat("a @", kStart + kHour + 1, " 2 thread=y")}},
          {.service = "s2", .time = kStart, .lines = {base::StrCat("b @", kStart + 3, " 7")}}});
  ProfileScope scope = Scope("{}");
  scope.range = {.from = kStart, .to = kStart + 2 * kHour};
  const auto lines = [&](std::vector<std::string> by, size_t lines_max) {
    const auto series =
        ReadTimeSeries(DataSource(DataSource(store_.get())), scope,
                       {.step_nanos = kHour, .by = std::move(by), .lines_max = lines_max}, {});
    std::string text;
    for (const TimeSeriesLine& line : series->lines) {
      for (const std::string& label : line.labels)
        text += label + " ";
      base::StrAppend(&text, line.is_rest ? "rest " : "", line.values[0], " ", line.values[1],
                      "\n");
    }
    return text;
  };
  EXPECT_EQ(lines({}, 5), "8 2\n");
  EXPECT_EQ(lines({"service.name"}, 5), "s2 7 0\ns1 1 2\n");
  EXPECT_EQ(lines({"thread"}, 5), " 7 0\ny 0 2\nx 1 0\n");
  EXPECT_EQ(lines({"thread"}, 1), " 7 0\nrest 1 2\n");
}

TEST_F(ProfileScopeTest, PagesEventsWithoutLossOrRepetition) {
  std::vector<std::string> lines;
  lines.reserve(60);
  for (int i = 0; i < 60; ++i)
    lines.push_back(base::StrCat("a @", kStart + static_cast<uint64_t>(i / 4), " ", i + 1));
  Append({{.time = kStart, .lines = lines}});
  ProfileScope scope = Scope("{}");
  scope.range = {.from = kStart, .to = kStart + kHour};
  std::vector<int64_t> seen;
  for (int page = 0; page < 60; ++page) {
    const auto events =
        ReadEvents(DataSource(DataSource(store_.get())), scope, {.events_max = 10}, {});
    ASSERT_TRUE(events.ok());
    for (const Event& event : events->events)
      seen.push_back(event.value);
    if (events->next_nanos == 0)
      break;
    scope.range.from = events->next_nanos;
  }
  std::ranges::sort(seen);
  ASSERT_EQ(seen.size(), 60u);
  for (int i = 0; i < 60; ++i)
    EXPECT_EQ(seen[static_cast<size_t>(i)], i + 1);
}

}  // namespace
}  // namespace flarestack::query
