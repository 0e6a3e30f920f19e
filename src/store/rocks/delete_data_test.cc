// SPDX-License-Identifier: Apache-2.0
#include "store/delete_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/status.h"
#include "base/text/text.h"
#include "codec/otlp/signals/signals_json.h"
#include "store/maintenance.h"
#include "store/rocks/rocks_store.h"
#include "store/testing/event_text.h"

namespace flarestack::store {
namespace {

namespace fs = std::filesystem;
using testing::FoldedText;
using testing::MakeBatch;
using testing::TextProfile;

constexpr uint64_t kHour = 3'600'000'000'000;
constexpr uint64_t kStart = 500'000 * kHour;

class DeleteDataTest : public ::testing::Test {
 protected:
  DeleteDataTest() {
    std::string name = ::testing::TempDir() + "delete_XXXXXX";
    directory_ = mkdtemp(name.data());
  }
  ~DeleteDataTest() override { fs::remove_all(directory_); }

  std::unique_ptr<Store> Open() const {
    auto store = OpenRocksStore({.directory = directory_, .memory_bytes_max = 64 << 20});
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }

  // Both services have one of everything in each of three hours.
  void Fill() const {
    const auto store = Open();
    for (uint64_t hour = 0; hour < 3; ++hour) {
      for (const char* const service : {"cart", "shop"})
        Append(store.get(), service, kStart + hour * kHour + 5);
    }
    ASSERT_TRUE(store->Maintain(kStart + 48 * kHour).ok());
  }

  static void Append(Store* store, const std::string& service, uint64_t time) {
    const std::vector<TextProfile> profiles = {
        {.service = service,
         .time = time,
         .lines = {base::StrCat(service, ";run @", time, " link=7")}}};
    ASSERT_TRUE(store->AppendProfiles(MakeBatch(profiles)).ok());
    const std::string resource =
        base::StrCat(R"("resource":{"attributes":[{"key":"service.name","value":{"stringValue":")",
                     service, R"("}}]},)");
    const std::string ids =
        base::StrCat(R"("traceId":")", std::string(32, service[0] == 'c' ? 'a' : 'b'),
                     R"(","spanId":"000000000000000)", time / kHour % 10, R"(",)");
    base::Warnings warnings;
    model::TraceBatch traces;
    ASSERT_TRUE(codec::otlp::DecodeTracesJson(
                    base::StrCat(R"({"resourceSpans":[{)", resource, R"("scopeSpans":[{"spans":[{)",
                                 ids, R"("name":"GET","startTimeUnixNano":")", time,
                                 R"(","endTimeUnixNano":")", time + 5, R"("}]}]}]})"),
                    {}, &traces, &warnings)
                    .ok());
    ASSERT_TRUE(store->AppendTraces(traces).ok());
    model::LogBatch logs;
    ASSERT_TRUE(
        codec::otlp::DecodeLogsJson(
            base::StrCat(R"({"resourceLogs":[{)", resource, R"("scopeLogs":[{"logRecords":[{)", ids,
                         R"("timeUnixNano":")", time, R"(","body":{"stringValue":"secret of )",
                         service, R"("}}]}]}]})"),
            {}, &logs, &warnings)
            .ok());
    ASSERT_TRUE(store->AppendLogs(logs).ok());
    model::MetricBatch metrics;
    ASSERT_TRUE(
        codec::otlp::DecodeMetricsJson(
            base::StrCat(R"({"resourceMetrics":[{)", resource,
                         R"("scopeMetrics":[{"metrics":[{"name":"load","gauge":{)",
                         R"("dataPoints":[{"timeUnixNano":")", time, R"(","asInt":"5"}]}}]}]}]})"),
            {}, &metrics, &warnings)
            .ok());
    ASSERT_TRUE(store->AppendMetrics(metrics).ok());
  }

  // "profiles; spans logs points", as returned by queries.
  std::string Contents() const {
    const auto store = Open();
    std::string text = FoldedText(*store->SelectProfiles({}));
    base::StrAppend(&text, store->SelectSpans({})->spans.size(), " spans ",
                    store->SelectLogs({})->log_records.size(), " logs ",
                    store->SelectMetrics({})->number_points.size(), " points ",
                    store->ListSeries({})->size(), " series ", store->ListMetrics({})->size(),
                    " metrics\n");
    return text;
  }

  static std::vector<Matcher> Service(const std::string& name) {
    return {*Matcher::Make("service.name", Matcher::Kind::kEqual, name)};
  }

  void ExpectSound() const {
    const auto report = VerifyDirectory(directory_);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->fault_count, 0u) << report->faults[0].place << report->faults[0].reason;
  }

  std::string directory_;
};

constexpr char kBoth[] = "cart;run 3\nshop;run 3\n6 spans 6 logs 6 points 2 series 2 metrics\n";

TEST_F(DeleteDataTest, DeletesAServiceWithAllItsSignals) {
  Fill();
  ASSERT_EQ(Contents(), kBoth);
  const auto counted = DeleteData(directory_, {.matchers = Service("cart"), .is_dry_run = true});
  ASSERT_TRUE(counted.ok()) << counted.status();
  EXPECT_EQ(Contents(), kBoth);
  const auto deleted = DeleteData(directory_, {.matchers = Service("cart")});
  ASSERT_TRUE(deleted.ok()) << deleted.status();
  for (const DeletedData& data : {*counted, *deleted}) {
    EXPECT_EQ(data.series, 1u);
    EXPECT_EQ(data.chunks, 3u);
    EXPECT_EQ(data.spans, 3u);
    EXPECT_EQ(data.log_records, 3u);
    EXPECT_EQ(data.metric_series, 1u);
    EXPECT_EQ(data.points, 3u);
  }
  EXPECT_EQ(Contents(), "shop;run 3\n3 spans 3 logs 3 points 1 series 1 metrics\n");
  ExpectSound();
  EXPECT_TRUE(DeleteData(directory_, {.matchers = Service("cart")})->chunks == 0);
}

// Data sent afterwards is stored and found as usual, and roll-ups agree with chunks.
TEST_F(DeleteDataTest, DeletedServiceMayReturn) {
  Fill();
  ASSERT_TRUE(DeleteData(directory_, {.matchers = Service("cart")}).ok());
  {
    const auto store = Open();
    Append(store.get(), "cart", kStart + 5);
    ASSERT_TRUE(store->Maintain(kStart + 72 * kHour).ok());
  }
  EXPECT_EQ(Contents(), "cart;run 1\nshop;run 3\n4 spans 4 logs 4 points 2 series 2 metrics\n");
  ExpectSound();
}

TEST_F(DeleteDataTest, DeletesOnlyWholeHoursInTheRange) {
  Fill();
  // Only the second hour is deleted: the range covers the first and the third in part.
  const TimeRange range = {.from = kStart + 1, .to = kStart + 3 * kHour - 1};
  ASSERT_TRUE(DeleteData(directory_, {.matchers = Service("cart"), .range = range}).ok());
  EXPECT_EQ(Contents(), "cart;run 2\nshop;run 3\n5 spans 5 logs 5 points 2 series 2 metrics\n");
  ASSERT_TRUE(DeleteData(directory_, {.range = range}).ok());
  EXPECT_EQ(Contents(), "cart;run 2\nshop;run 2\n4 spans 4 logs 4 points 2 series 2 metrics\n");
  ASSERT_TRUE(Open()->Maintain(kStart + 72 * kHour).ok());
  EXPECT_EQ(Contents(), "cart;run 2\nshop;run 2\n4 spans 4 logs 4 points 2 series 2 metrics\n");
  ExpectSound();
}

TEST_F(DeleteDataTest, RejectsADirectoryInUse) {
  Fill();
  const auto store = Open();
  EXPECT_TRUE(
      absl::IsFailedPrecondition(DeleteData(directory_, {.matchers = Service("cart")}).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(DeleteDirectory(directory_)));
}

TEST_F(DeleteDataTest, DeletesAWholeDirectory) {
  Fill();
  ASSERT_TRUE(DeleteDirectory(directory_).ok());
  EXPECT_FALSE(fs::exists(directory_));
  EXPECT_TRUE(absl::IsNotFound(DeleteDirectory(directory_)));
}

}  // namespace
}  // namespace flarestack::store
