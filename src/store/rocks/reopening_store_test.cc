// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/reopening_store.h"
#include "base/testing/eventually.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

namespace flarestack::store {
namespace {

constexpr std::chrono::milliseconds kNoDelay{0};

// Shared state through which a test observes and controls the opened stores.
struct Scene {
  std::atomic<int> openings = 0;
  std::atomic<int> open_now = 0;
  std::atomic<int> attempts = 0;
  std::atomic<bool> may_open = true;
  std::atomic<bool> can_open = true;
  std::latch query_runs{1};
  std::latch query_may_end{1};
  std::function<void()> break_store;  // of the store opened last
};

// Stores are numbered from 1; a store's only series carries its number.
class FakeStore : public Store {
 public:
  explicit FakeStore(Scene* scene) : scene_(*scene), number_(++scene->openings) {
    ++scene_.open_now;
  }
  ~FakeStore() override { --scene_.open_now; }

  absl::StatusOr<AppendedProfiles> AppendProfiles(const model::Batch& /*batch*/) override {
    return AppendedProfiles();
  }
  absl::Status AppendTraces(const model::TraceBatch& /*batch*/) override {
    return absl::OkStatus();
  }
  absl::Status AppendLogs(const model::LogBatch& /*batch*/) override { return absl::OkStatus(); }
  absl::StatusOr<AppendedMetrics> AppendMetrics(const model::MetricBatch& /*batch*/) override {
    return AppendedMetrics();
  }
  absl::StatusOr<std::vector<Series>> ListSeries(const SeriesQuery& /*query*/) override {
    return std::vector<Series>();
  }
  absl::StatusOr<model::Batch> SelectProfiles(const ProfileQuery& /*query*/) override {
    return model::Batch();
  }
  absl::StatusOr<model::TraceBatch> SelectTrace(const TraceQuery& /*query*/) override {
    scene_.query_runs.count_down();
    scene_.query_may_end.wait();
    return scene_.open_now == 1
               ? absl::StatusOr<model::TraceBatch>(model::TraceBatch())
               : absl::InternalError("closed, or another one opened, while a query ran");
  }
  absl::StatusOr<SelectedSpans> SelectSpans(const SpanQuery& /*query*/) override {
    return SelectedSpans();
  }
  absl::StatusOr<SelectedLogs> SelectLogs(const LogQuery& /*query*/) override {
    return SelectedLogs();
  }
  absl::StatusOr<model::MetricBatch> SelectMetrics(const MetricQuery& /*query*/) override {
    return model::MetricBatch();
  }
  absl::Status AddNote(std::string_view /*key*/, std::string_view /*text*/) override {
    return absl::OkStatus();
  }
  absl::StatusOr<std::optional<std::string>> FindNote(std::string_view /*key*/) override {
    return std::nullopt;
  }
  absl::Status DropBefore(const SignalTimes& /*oldest*/) override { return absl::OkStatus(); }
  absl::StatusOr<std::vector<HourBytes>> BytesByHour() override { return std::vector<HourBytes>(); }
  absl::Status Maintain(uint64_t /*now_nanos*/) override { return absl::OkStatus(); }
  absl::StatusOr<std::vector<std::string>> ResourceKeys() override {
    return std::vector<std::string>();
  }
  absl::StatusOr<uint64_t> NearestHour(const SeriesQuery& /*query*/,
                                       uint64_t /*time_nanos*/) override {
    return 0;
  }
  absl::StatusOr<std::vector<MetricSeries>> ListMetrics(const MetricQuery& /*query*/) override {
    return std::vector<MetricSeries>();
  }
  uint64_t Watermark() override { return 0; }
  absl::StatusOr<StoreStats> Stats() override { return StoreStats{.series = number_}; }

 private:
  Scene& scene_;
  const uint64_t number_;
};

class ReopeningStoreTest : public ::testing::Test {
 protected:
  void Open(std::chrono::milliseconds delay = kNoDelay) {
    auto opened = OpenReopeningStore(
        {.open = [this](std::function<void()> on_broken) -> absl::StatusOr<std::unique_ptr<Store>> {
           if (!scene_.can_open)
             return absl::DataLossError("cannot be read");
           scene_.break_store = std::move(on_broken);
           return std::make_unique<FakeStore>(&scene_);
         },
         .may_open =
             [this] {
               return scene_.may_open ? absl::OkStatus() : absl::ResourceExhaustedError("full");
             },
         .on_attempt = [this](const absl::Status&) { ++scene_.attempts; },
         .delay_min = delay,
         .delay_max = delay});
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
  }

  void Break() {
    // Copy it: the next opening replaces it.
    const std::function<void()> on_broken = scene_.break_store;
    on_broken();
  }

  // The number of the store that responds; 0 if none does.
  uint64_t Number() const {
    const auto stats = store_->Stats();
    EXPECT_TRUE(stats.ok() || absl::IsUnavailable(stats.status())) << stats.status();
    return stats.ok() ? stats->series : 0;
  }
  void AwaitNumber(uint64_t number) const {
    ASSERT_TRUE(base::testing::Eventually([&] { return Number() == number; }));
  }
  void AwaitAttempts(int count) const {
    const int before = scene_.attempts;
    ASSERT_TRUE(base::testing::Eventually([&] { return scene_.attempts >= before + count; }));
  }

  Scene scene_;
  std::unique_ptr<Store> store_;
};

TEST_F(ReopeningStoreTest, ReopensABrokenStoreRepeatedly) {
  Open();
  EXPECT_EQ(Number(), 1u);
  Break();
  AwaitNumber(2);
  Break();
  AwaitNumber(3);
  EXPECT_EQ(scene_.open_now, 1);
}

TEST_F(ReopeningStoreTest, WaitsForRunningCalls) {
  Open();
  absl::Status response;
  std::thread query([&] { response = store_->SelectTrace({}).status(); });
  scene_.query_runs.wait();
  Break();
  AwaitNumber(0);  // new calls fail from here on; the running one was not interrupted
  EXPECT_EQ(scene_.open_now, 1);
  EXPECT_EQ(scene_.openings, 1);
  scene_.query_may_end.count_down();
  query.join();
  EXPECT_TRUE(response.ok()) << response;
  AwaitNumber(2);
}

TEST_F(ReopeningStoreTest, StaysReadableUntilItMayBeReopened) {
  Open();
  scene_.may_open = false;
  Break();
  AwaitAttempts(3);
  EXPECT_EQ(Number(), 1u);
  scene_.may_open = true;
  AwaitNumber(2);
}

TEST_F(ReopeningStoreTest, RetriesUntilItOpens) {
  Open();
  scene_.can_open = false;
  Break();
  AwaitAttempts(3);
  EXPECT_EQ(Number(), 0u);
  EXPECT_EQ(scene_.open_now, 0);
  EXPECT_TRUE(absl::IsUnavailable(store_->AppendTraces(model::TraceBatch())));
  scene_.can_open = true;
  AwaitNumber(2);
}

TEST_F(ReopeningStoreTest, StopsDuringTheBackOff) {
  Open(std::chrono::hours(1));
  scene_.can_open = false;
  Break();
  AwaitNumber(0);
  store_.reset();
  EXPECT_EQ(scene_.open_now, 0);
}

TEST_F(ReopeningStoreTest, ReportsWhyTheFirstOpenFails) {
  const auto opened = OpenReopeningStore({.open = [](const auto&) {
    return absl::StatusOr<std::unique_ptr<Store>>(absl::DataLossError("cannot be read"));
  }});
  EXPECT_TRUE(absl::IsDataLoss(opened.status()));
}

}  // namespace
}  // namespace flarestack::store
