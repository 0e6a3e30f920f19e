// SPDX-License-Identifier: Apache-2.0
//
// Tests that every store must pass. A test program of an implementation includes this once and
// instantiates it with a function that opens the store of a directory:
//
//   INSTANTIATE_TEST_SUITE_P(Rocks, StoreConformance, ::testing::Values(&OpenForTest));
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "base/text/text.h"
#include "store/store.h"
#include "store/testing/event_text.h"

namespace flarestack::store::testing {

inline constexpr uint64_t kMinute = 60'000'000'000;
inline constexpr uint64_t kHour = 60 * kMinute;
inline constexpr uint64_t kStart = 500'000 * kHour;  // start of an hour in the year 2027

using OpenStoreForTest = absl::StatusOr<std::unique_ptr<Store>> (*)(const std::string& directory);

class StoreConformance : public ::testing::TestWithParam<OpenStoreForTest> {
 protected:
  StoreConformance() {
    std::string name = ::testing::TempDir() + "store_XXXXXX";
    directory_ = mkdtemp(name.data());
    Reopen();
  }
  ~StoreConformance() override {
    store_.reset();
    std::filesystem::remove_all(directory_);
  }

  void Reopen() {
    store_.reset();
    auto opened = GetParam()(directory_);
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
  }

  AppendedProfiles Append(const std::vector<TextProfile>& profiles) {
    const auto appended = store_->AppendProfiles(MakeBatch(profiles));
    EXPECT_TRUE(appended.ok()) << appended.status();
    return appended.ok() ? *appended : AppendedProfiles();
  }

  model::Batch Select(const ProfileQuery& query) {
    auto batch = store_->SelectProfiles(query);
    EXPECT_TRUE(batch.ok()) << batch.status();
    return batch.ok() ? *std::move(batch) : model::Batch();
  }

  std::string Folded(const ProfileQuery& query) { return FoldedText(Select(query)); }

  static ProfileQuery Of(std::string_view selector) {
    return {.series = {.matchers = *ParseSelector(selector)}};
  }

  std::string directory_;
  std::unique_ptr<Store> store_;
};

TEST_P(StoreConformance, ReturnsAppendedData) {
  const std::vector<TextProfile> profiles = {
      {.time = kStart,
       .lines = {base::StrCat("main;run @", kStart + 5, " @", kStart + 9, " thread=t1 link=7"),
                 base::StrCat("main;run @", kStart + 6), base::StrCat("idle @", kStart + 7)}},
      {.service = "shop",
       .type = "inuse_space",
       .unit = "bytes",
       .time = kStart + 1,
       .lines = {"main;alloc 4096", "main;free -3 size=big"}},
      {.service = "shop",
       .time = kStart + 2,
       .lines = {base::StrCat("wait @", kStart + 2, " 120"),
                 base::StrCat("wait @", kStart + 3, " 9")}},
  };
  EXPECT_EQ(Append(profiles).samples, 8u);
  const auto expected = EventLines(MakeBatch(profiles));
  EXPECT_EQ(EventLines(Select({.detail = Detail::kSamples})), expected);
  Reopen();
  EXPECT_EQ(EventLines(Select({.detail = Detail::kSamples})), expected);
}

TEST_P(StoreConformance, SumsByStack) {
  for (uint64_t second = 0; second < 50; ++second) {
    const uint64_t time = kStart + second * 1'000'000'000;
    Append({{.time = time,
             .lines = {base::StrCat("main;a @", time), base::StrCat("main;b @", time + 1, " 2")}}});
  }
  EXPECT_EQ(Folded({}), "main;a 50\nmain;b 100\n");
  EXPECT_EQ(Folded({.range = {.from = kStart, .to = kStart + 10'000'000'000}}),
            "main;a 10\nmain;b 20\n");
}

TEST_P(StoreConformance, CountsAProfileWhoseSamplesAreAllInTheNextHour) {
  constexpr uint64_t kSecond = 1'000'000'000;
  const uint64_t time = kStart + kHour - 2 * kSecond;
  Append({{.time = time,
           .duration = 10 * kSecond,
           .lines = {base::StrCat("main @", time + 3 * kSecond, " @", time + 4 * kSecond)}}});
  const auto expect_whole = [&] {
    for (const Detail detail : {Detail::kSums, Detail::kMerged}) {
      const model::Batch batch = Select({.detail = detail});
      ASSERT_EQ(batch.profiles.size(), 1U);
      EXPECT_EQ(batch.profiles[0].duration_nano, 10 * kSecond);
      EXPECT_EQ(FoldedText(batch), "main 2\n");
    }
    EXPECT_EQ(EventLines(Select({.detail = Detail::kSamples})).size(), 2U);
    EXPECT_EQ(Folded({.range = {.from = time, .to = time + 2 * kSecond}}), "");
  };
  expect_whole();
  ASSERT_TRUE(store_->Maintain(kStart + 60 * kHour).ok());  // rolls up
  expect_whole();
  Reopen();
  expect_whole();
}

TEST_P(StoreConformance, SelectsByTimeToTheNanosecond) {
  Append({{.time = kStart,
           .lines = {base::StrCat("a @", kStart + kHour - 1), base::StrCat("b @", kStart + kHour),
                     base::StrCat("c @", kStart + kHour + 1)}}});
  EXPECT_EQ(Folded({.range = {.from = kStart + kHour, .to = kStart + kHour + 1}}), "b 1\n");
  EXPECT_EQ(Folded({.range = {.from = 0, .to = kStart + kHour}}), "a 1\n");
  EXPECT_EQ(Folded({.range = {.from = kStart + kHour + 1}}), "c 1\n");
  EXPECT_EQ(Folded({.range = {.from = 5, .to = 5}}), "");
}

TEST_P(StoreConformance, SelectsByAttributeAndType) {
  for (const std::string service : {"cart", "shop", "web-1", "web-2"}) {
    Append({{.service = service, .time = kStart, .lines = {service + " 1"}},
            {.service = service,
             .type = "alloc_space",
             .unit = "bytes",
             .time = kStart,
             .lines = {service + ";malloc 10"}}});
  }
  const auto folded = [&](std::string_view selector, std::string_view type) {
    ProfileQuery query = Of(selector);
    query.series.types = SampleTypesFor(type);
    return Folded(query);
  };
  EXPECT_EQ(folded(R"({service.name="cart"})", "cpu"), "cart 1\n");
  EXPECT_EQ(folded(R"({service_name="cart"})", ""), "cart 1\ncart;malloc 10\n");
  EXPECT_EQ(folded(R"({service.name=~"web.*"})", "cpu"), "web-1 1\nweb-2 1\n");
  EXPECT_EQ(folded(R"({service.name=~"web"})", "cpu"), "");
  EXPECT_EQ(folded(R"({service.name!~"web.*",service.name!="shop"})", "cpu"), "cart 1\n");
  EXPECT_EQ(folded(R"({host.name="x"})", ""), "");
  EXPECT_EQ(folded(R"({host.name="",service.name="shop"})", "cpu"), "shop 1\n");
  EXPECT_EQ(folded("", "alloc_spac"), "");
  const auto series =
      store_->ListSeries({.matchers = {}, .types = SampleTypesFor("alloc_space:bytes")});
  ASSERT_TRUE(series.ok());
  EXPECT_EQ(series->size(), 4u);
}

TEST_P(StoreConformance, SelectsByTraceAndSpan) {
  Append({{.time = kStart,
           .lines = {base::StrCat("a @", kStart, " link=1"), base::StrCat("b @", kStart, " link=2"),
                     base::StrCat("c @", kStart)}}});
  ProfileQuery query;
  const auto folded = [&](std::vector<SpanRef> spans) {
    query.spans = std::move(spans);
    return Folded(query);
  };
  EXPECT_EQ(folded({{.trace_id = TraceId(2)}}), "b 1\n");
  EXPECT_EQ(folded({{.trace_id = TraceId(2), .span_id = SpanId(2)}}), "b 1\n");
  EXPECT_EQ(folded({{.trace_id = TraceId(2), .span_id = SpanId(1)}}), "");
  EXPECT_EQ(folded({{.trace_id = TraceId(3)}}), "");
  EXPECT_EQ(folded({{.trace_id = TraceId(2)}, {.trace_id = TraceId(1), .span_id = SpanId(1)}}),
            "a 1\nb 1\n");
}

TEST_P(StoreConformance, CountsAProfileOnce) {
  const TextProfile profile = {
      .time = kStart, .profile_id = std::string(16, 'p'), .lines = {"main 5"}};
  EXPECT_EQ(Append({profile}).duplicate_profiles, 0u);
  EXPECT_EQ(Append({profile}).duplicate_profiles, 1u);
  Reopen();
  EXPECT_EQ(Append({profile, profile}).duplicate_profiles, 2u);
  EXPECT_EQ(Folded({}), "main 5\n");
}

TEST_P(StoreConformance, KeepsConcurrentAppends) {
  constexpr int kThreads = 8;
  constexpr int kAppends = 25;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kAppends; ++i) {
        Append({{.service = base::StrCat("s", t % 3),
                 .time = kStart,
                 .lines = {base::StrCat("main;f", i, " 1"), base::StrCat("main;t", t, " 1")}}});
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  const model::Batch batch = Select({});
  int64_t total = 0;
  for (const int64_t value : batch.values)
    total += value;
  EXPECT_EQ(total, kThreads * kAppends * 2);
}

TEST_P(StoreConformance, DropsOldData) {
  Append({{.time = kStart, .lines = {"old 1"}}, {.time = kStart + 3 * kHour, .lines = {"new 1"}}});
  ASSERT_TRUE(store_->DropBefore(SignalTimes::All(kStart + 2 * kHour)).ok());
  EXPECT_EQ(Folded({}), "new 1\n");
  Reopen();
  EXPECT_EQ(Folded({}), "new 1\n");
}

// Roll-ups may only change the speed.
TEST_P(StoreConformance, ReturnsTheSameWithAndWithoutRollups) {
  std::mt19937 random(11);
  const auto append = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const uint64_t time = kStart + (random() % (75 * 3600)) * uint64_t{1'000'000'000};
      Append({{.service = base::StrCat("s", random() % 2),
               .time = time,
               .lines = {base::StrCat("main;f", random() % 5, " @", time, " ", random() % 9),
                         base::StrCat("main;g", random() % 3, " @", time + 7)}}});
    }
  };
  // One busy hour, whose minutes are worth a roll-up.
  for (uint64_t i = 0; i < 2000; i += 4) {
    const uint64_t time = kStart + 5 * kHour + i * 1'700'000'000;
    Append({{.service = "s0",
             .time = time,
             .duration = 1'700'000'000,
             .lines = {base::StrCat("main;f @", time, " @", time + 9, " @", time + 400'000'000),
                       base::StrCat("main;g @", time + 1'600'000'000)}}});
  }
  std::vector<TimeRange> ranges = {{}, {.from = kStart, .to = kStart + 24 * kHour}};
  for (int i = 0; i < 20; ++i) {
    const uint64_t from = kStart + 5 * kHour + random() % 60 * kMinute;
    ranges.push_back({.from = from, .to = from + (1 + random() % 40) * kMinute});
    ranges.push_back({.from = from, .to = from + random() % kHour});
    const uint64_t cut = from + random() % kMinute;
    ranges.push_back({.from = cut, .to = cut + random() % (2 * kHour)});
  }
  for (int i = 0; i < 25; ++i) {
    const uint64_t from = kStart + random() % (70 * kHour);
    ranges.push_back({.from = from, .to = from + random() % (40 * kHour)});
    ranges.push_back({.from = kStart + random() % 60 * kHour, .to = kStart + 70 * kHour});
  }
  const auto all = [&] {
    std::string text;
    for (const TimeRange& range : ranges) {
      const model::Batch batch = Select({.range = range});
      text += FoldedText(batch);
      for (const model::Profile& profile : batch.profiles)
        base::StrAppend(&text, profile.time_unix_nano, "+", profile.duration_nano, "\n");
      EXPECT_EQ(Folded({.range = range, .detail = Detail::kMerged}), FoldedText(batch));
      EXPECT_EQ(Folded({.range = range, .detail = Detail::kMerged, .may_have_orphans = true}),
                FoldedText(batch));
      EXPECT_EQ(Folded({.range = range, .detail = Detail::kSamples}), FoldedText(batch));
    }
    for (const uint64_t step : {kMinute, 5 * kMinute, kHour, 7 * kHour, uint64_t{7'000'000'123}}) {
      for (size_t i = 1; i < ranges.size(); i += 5) {
        const ProfileQuery query = {
            .range = ranges[i], .detail = Detail::kSteps, .step_nanos = step};
        const model::Batch batch = Select(query);
        EXPECT_EQ(FoldedText(batch), Folded({.range = ranges[i]}));
        for (const std::string& line : EventLines(batch))
          base::StrAppend(&text, line, "\n");
      }
    }
    return text;
  };
  append(120);
  const std::string before = all();
  ASSERT_TRUE(store_->Maintain(kStart + 60 * kHour).ok());
  EXPECT_EQ(all(), before);
  Reopen();
  EXPECT_EQ(all(), before);

  append(20);  // including late ones
  const std::string with_late = all();
  EXPECT_NE(with_late, before);
  ASSERT_TRUE(store_->Maintain(kStart + 100 * kHour).ok());
  EXPECT_EQ(all(), with_late);
}

// A range that cuts a few rows off either end of a piece, or all rows of one stack.
TEST_P(StoreConformance, ReturnsTheSameIfARangeCutsAPiece) {
  constexpr uint64_t kTick = 100'000'000;
  std::vector<std::string> lines;
  for (uint64_t i = 0; i < 400; ++i)
    lines.push_back(base::StrCat("main;f", i % 7, " @", kStart + i * kTick));
  lines.push_back(base::StrCat("main;first @", kStart));
  lines.push_back(base::StrCat("main;last @", kStart + 400 * kTick));
  Append({{.time = kStart, .duration = 401 * kTick, .lines = lines}});
  for (const uint64_t before : {0, 1, 5, 20, 50, 300}) {
    for (const uint64_t after : {0, 1, 2, 24, 60}) {
      const TimeRange range = {.from = kStart + before * kTick,
                               .to = kStart + (401 - after) * kTick};
      const std::string merged = Folded({.range = range, .detail = Detail::kMerged});
      EXPECT_EQ(merged, Folded({.range = range, .detail = Detail::kSamples}));
      EXPECT_EQ(merged.find("first") != std::string::npos, before == 0);
      EXPECT_EQ(merged.find("last") != std::string::npos, after == 0);
    }
  }
}

// With may_have_orphans, the dictionary may contain entries of an earlier response.
TEST_P(StoreConformance, ReturnsTheSameWithEntriesOfAnEarlierResponse) {
  const auto ask = [&](TimeRange range) {
    const ProfileQuery query = {.range = range, .detail = Detail::kMerged};
    ProfileQuery with_more = query;
    with_more.may_have_orphans = true;
    const model::Batch plain = Select(query);
    const model::Batch more = Select(with_more);
    EXPECT_EQ(FoldedText(more), FoldedText(plain));
    EXPECT_GE(more.dictionary.stacks.size(), plain.dictionary.stacks.size());
    // The reserved stack and those of the samples.
    EXPECT_EQ(plain.dictionary.stacks.size(), plain.samples.size() + 1);
    return FoldedText(more);
  };
  const auto append = [&](uint64_t minute, int first, int last) {
    std::vector<std::string> lines;
    for (int i = first; i < last; ++i)
      lines.push_back(base::StrCat("main;f", i, ";g", i % 3, " @", kStart + minute * kMinute));
    Append({{.service = "s", .time = kStart + minute * kMinute, .lines = lines}});
  };
  append(0, 0, 40);
  EXPECT_EQ(ask({}), ask({}));
  append(1, 30, 50);  // some known and some new stacks, too few to be cached
  append(2, 50, 52);
  const std::string all = ask({});
  EXPECT_NE(all.find("main;f51;g0"), std::string::npos);
  for (const uint64_t minute : {0, 1, 2})
    ask({.from = kStart + minute * kMinute, .to = kStart + (minute + 1) * kMinute});
  append(3, 100, 400);
  ask({.from = kStart + 3 * kMinute, .to = kStart + 4 * kMinute});
  EXPECT_EQ(ask({}), ask({}));

  // A response stays valid after the store that produced it is closed.
  const model::Batch kept =
      Select({.range = {}, .detail = Detail::kMerged, .may_have_orphans = true});
  const std::string before = FoldedText(kept);
  Reopen();
  EXPECT_EQ(FoldedText(kept), before);
  EXPECT_EQ(ask({}), before);
}

// A Go pprof profile reports its samples both as counts and as CPU time.
TEST_P(StoreConformance, CountsDataInTwoUnitsOnce) {
  Append({{.time = kStart, .lines = {"a 30"}},
          {.type = "samples", .unit = "count", .period = 10, .time = kStart, .lines = {"a 3"}},
          {.service = "shop",
           .type = "samples",
           .unit = "count",
           .period = 10,
           .time = kStart,
           .lines = {"b 2"}}});
  for (const Detail detail : {Detail::kMerged, Detail::kSums, Detail::kSamples}) {
    ProfileQuery query = {.detail = detail};
    query.series.types = SampleTypesFor("cpu");
    EXPECT_EQ(Folded(query), "a 30\nb 2\n");
  }
}

TEST_P(StoreConformance, SumsByStep) {
  Append({{.time = kStart,
           .lines = {base::StrCat("a @", kStart, " 1"), base::StrCat("a @", kStart + 9, " 2"),
                     base::StrCat("b @", kStart + 10, " 4"), base::StrCat("a @", kStart + 25, " 8"),
                     base::StrCat("a @", kStart + 30, " 16")}}});
  ProfileQuery query = {
      .range = {.from = kStart, .to = kStart + 30}, .detail = Detail::kSteps, .step_nanos = 10};
  const auto lines = [&] {
    std::string text;
    const model::Batch batch = Select(query);
    for (const model::Sample& sample : batch.samples) {
      for (uint32_t i = 0; i < sample.values.count; ++i) {
        base::StrAppend(&text, sample.stack.value == 0 ? "all" : "stack", " +",
                        batch.timestamps[sample.timestamps.begin + i] - kStart, " ",
                        batch.values[sample.values.begin + i], "\n");
      }
    }
    return text;
  };
  EXPECT_EQ(lines(), "stack +0 3\nstack +20 8\nstack +10 4\n");
  query.without_stacks = true;
  EXPECT_EQ(lines(), "all +0 3\nall +10 4\nall +20 8\n");
  query.step_nanos = 0;
  EXPECT_EQ(store_->SelectProfiles(query).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_P(StoreConformance, SelectsByAttributesOfSamples) {
  Append({{.time = kStart,
           .lines = {base::StrCat("a @", kStart, " thread=t1"),
                     base::StrCat("b @", kStart + 1, " thread=t2"),
                     base::StrCat("c @", kStart + 2)}}});
  for (const Detail detail : {Detail::kMerged, Detail::kSums, Detail::kSamples}) {
    const auto folded = [&](std::string_view selector) {
      ProfileQuery query = Of(selector);
      query.detail = detail;
      return Folded(query);
    };
    EXPECT_EQ(folded(R"({thread="t1"})"), "a 1\n");
    EXPECT_EQ(folded(R"({thread=~"t.",service.name="cart"})"), "a 1\nb 1\n");
    EXPECT_EQ(folded(R"({thread!="t1"})"), "b 1\nc 1\n");
    EXPECT_EQ(folded(R"({thread=""})"), "c 1\n");
    EXPECT_EQ(folded(R"({thread="t1",service.name="shop"})"), "");
  }
}

TEST_P(StoreConformance, StopsACancelledRead) {
  for (int i = 0; i < 20; ++i) {
    Append({{.service = base::StrCat("s", i), .time = kStart, .lines = {"a 1"}}});
  }
  for (const Detail detail : {Detail::kMerged, Detail::kSums, Detail::kSteps, Detail::kSamples}) {
    uint64_t calls = 0;
    ReadProgress last;
    ProfileQuery query = {
        .range = {.from = kStart, .to = kStart + kHour}, .detail = detail, .step_nanos = kMinute};
    query.on_progress = [&](const ReadProgress& progress) {
      last = progress;
      return ++calls < 4;
    };
    EXPECT_LT(Folded(query), "a 20\n");
    EXPECT_EQ(calls, 4u);
    EXPECT_EQ(last.parts, 20u);
    EXPECT_LT(last.parts_done, 20u);
  }
}

TEST_P(StoreConformance, ListsTheKeysOfResources) {
  EXPECT_EQ(*store_->ResourceKeys(), std::vector<std::string>());
  Append({{.time = kStart, .lines = {"a 1 thread=t1"}}});
  EXPECT_EQ(*store_->ResourceKeys(), std::vector<std::string>{"service.name"});
}

TEST_P(StoreConformance, FindsTheNearestHourWithData) {
  EXPECT_EQ(*store_->NearestHour({}, kStart), 0u);
  Append({{.time = kStart + 3 * kHour, .lines = {"a 1"}},
          {.time = kStart + 20 * kHour, .lines = {"a 1"}},
          {.service = "shop", .time = kStart + 11 * kHour, .lines = {"a 1"}}});
  const SeriesQuery cart = Of(R"({service.name="cart"})").series;
  EXPECT_EQ(*store_->NearestHour(cart, 0), kStart + 3 * kHour);
  EXPECT_EQ(*store_->NearestHour(cart, kStart + 11 * kHour), kStart + 3 * kHour);
  EXPECT_EQ(*store_->NearestHour(cart, kStart + 12 * kHour + 1), kStart + 20 * kHour);
  EXPECT_EQ(*store_->NearestHour(cart, UINT64_MAX), kStart + 20 * kHour);
  EXPECT_EQ(*store_->NearestHour(Of(R"({service.name="x"})").series, kStart), 0u);
}

TEST_P(StoreConformance, ReportsWhenASeriesWasLastSeen) {
  const auto last = [&] {
    const auto list = store_->ListSeries({});
    return list.ok() && list->size() == 1 ? list->front().last_seen_nanos : 0;
  };
  Append({{.time = kStart + 5 * kHour + 7, .lines = {"a 1"}}});
  EXPECT_EQ(last(), kStart + 5 * kHour);
  Reopen();
  Append({{.time = kStart + 2 * kHour, .lines = {"late 1"}}});
  EXPECT_EQ(last(), kStart + 5 * kHour);
  Append({{.time = kStart + 9 * kHour, .lines = {"a 1"}}});
  EXPECT_EQ(last(), kStart + 9 * kHour);
  Append({{.time = kStart + 9 * kHour + 17 * kMinute + 5, .lines = {"a 1"}}});
  EXPECT_EQ(last(), kStart + 9 * kHour + 17 * kMinute);
}

TEST_P(StoreConformance, ChangesTheWatermarkWithEachChange) {
  const uint64_t before = store_->Watermark();
  EXPECT_EQ(store_->Watermark(), before);
  Append({{.time = kStart, .lines = {"a 1"}}});
  EXPECT_NE(store_->Watermark(), before);
}

TEST_P(StoreConformance, KeepsNotes) {
  EXPECT_EQ(*store_->FindNote("a"), std::nullopt);
  ASSERT_TRUE(store_->AddNote("a", "one").ok());
  ASSERT_TRUE(store_->AddNote("a", "one").ok());
  EXPECT_EQ(store_->AddNote("a", "two").code(), absl::StatusCode::kAlreadyExists);
  ASSERT_TRUE(store_->AddNote("b", "").ok());
  Reopen();
  EXPECT_EQ(*store_->FindNote("a"), "one");
  EXPECT_EQ(*store_->FindNote("b"), "");
  EXPECT_EQ(*store_->FindNote("c"), std::nullopt);
  EXPECT_EQ(store_->AddNote("", "x").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(store_->AddNote(std::string(kNoteKeyBytesMax + 1, 'k'), "x").code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(store_->AddNote("long", std::string(kNoteBytesMax + 1, 'x')).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(store_->AddNote("long", std::string(kNoteBytesMax, 'x')).ok());
  ASSERT_TRUE(store_->DropBefore(SignalTimes::All(UINT64_MAX)).ok());
  EXPECT_EQ(*store_->FindNote("a"), "one");
}

// Random profiles in many small appends, with occasional reopening.
TEST_P(StoreConformance, PreservesRandomProfiles) {
  std::mt19937 random(7);
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  std::vector<std::string> expected;
  for (int round = 0; round < 60; ++round) {
    std::vector<TextProfile> profiles;
    for (uint32_t p = 0; p <= below(3); ++p) {
      TextProfile profile = {.service = base::StrCat("s", below(4)),
                             .period = below(2) == 0 ? 50'000'000 : 0,
                             .time = kStart + below(7200) * uint64_t{1'000'000'000},
                             .duration = below(2) == 0 ? uint64_t{5000000000} : below(1 << 30)};
      const uint32_t shape = below(3);
      for (uint32_t s = 0; s <= below(12); ++s) {
        std::string line = base::StrCat("main;f", below(9), ";g", below(30));
        for (uint32_t i = 0; i <= (shape == 1 ? 0 : below(3)); ++i) {
          if (shape != 1)
            base::StrAppend(&line, " @", profile.time + below(1u << 31));
          if (shape != 0)
            base::StrAppend(&line, " ", static_cast<int>(below(1000)) - 100);
        }
        if (below(2) == 0)
          base::StrAppend(&line, " thread=t", below(5));
        if (below(4) == 0)
          base::StrAppend(&line, " link=", below(6));
        profile.lines.push_back(line);
      }
      profiles.push_back(std::move(profile));
    }
    Append(profiles);
    const auto lines = EventLines(MakeBatch(profiles));
    expected.insert(expected.end(), lines.begin(), lines.end());
    if (below(15) == 0)
      Reopen();
  }
  std::ranges::sort(expected);
  EXPECT_EQ(EventLines(Select({.detail = Detail::kSamples})), expected);
}

}  // namespace flarestack::store::testing
