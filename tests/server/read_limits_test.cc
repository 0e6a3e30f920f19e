// SPDX-License-Identifier: Apache-2.0
//
// A read has a deadline and stops when its client disconnects; probes are served while all workers
// are busy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/testing/eventually.h"
#include "base/text/text.h"
#include "net/testing/raw_client.h"
#include "support/otlp_messages.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kWorkers = 8;  // of the API port
constexpr int kRecords = 2048;
constexpr int kRecordsPerRequest = 128;
constexpr char kInFlight[] = "flarestack_requests_in_flight{port=\"api\"}";
constexpr char kTraceId[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

std::string Stopped(std::string_view reason) {
  return base::StrCat("flarestack_reads_stopped_total{reason=\"", reason, "\"}");
}

class ReadLimitsTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(server_.is_running()) << server_.log(); }

  void PostJson(const std::string& path, const std::string& body) {
    const Answer response =
        Send({.url = server_.otlp_http() + path, .content_type = "application/json", .body = body});
    ASSERT_EQ(response.status, 200) << response.body;
  }

  std::string At(int i) const {
    return base::StrCat("\"", start_ + static_cast<uint64_t>(i), "\"");
  }

  // Bodies of a and b that the search below does not match. Each byte costs the search many states.
  void AppendLogs() {
    std::minstd_rand random(1);
    std::string text;
    for (int i = 0; i < 8000; ++i)
      text += (random() >> 8) % 2 == 0 ? 'a' : 'b';
    std::vector<std::string> records;
    for (int i = 0; i < kRecords; ++i)
      records.push_back(
          base::StrCat(R"({"timeUnixNano":)", At(i), R"(,"body":{"stringValue":")", text, "\"}}"));
    // Split into requests that fit into the memory of a small machine.
    for (auto at = records.begin(); at != records.end(); at += kRecordsPerRequest)
      PostJson("/v1/logs", LogsRequest("cart", {at, at + kRecordsPerRequest}));
  }
  std::string SlowSearch() const {
    return base::StrCat("/api/v1/logs?from=", start_, "&text=", UrlEncode("/a[ab]{30}c/"));
  }

  void AppendSpans() {
    std::vector<std::string> spans;
    for (int i = 0; i < kRecords; ++i)
      spans.push_back(base::StrCat(
          R"({"traceId":")", kTraceId, R"(","spanId":")", 1'000'000'000'000'000 + i,
          R"(","name":"s","startTimeUnixNano":)", At(i), R"(,"endTimeUnixNano":)", At(i + 1), "}"));
    PostJson("/v1/traces", TracesRequest("cart", spans));
  }

  void AppendPoints() {
    std::string points;
    for (int i = 0; i < kRecords; ++i)
      base::StrAppend(&points, i == 0 ? "" : ",", R"({"timeUnixNano":)", At(i), R"(,"asInt":"1"})");
    PostJson("/v1/metrics",
             MetricsRequest("cart", {base::StrCat(R"({"name":"heat","gauge":{"dataPoints":[)",
                                                  points, "]}}")}));
  }

  Answer Fetch(const std::string& path_and_query) const {
    return Get(server_.http() + path_and_query);
  }

  TemporaryFolder folder_;
  ServerProcess server_ = ServerProcess(folder_.File("data"));
  const uint64_t start_ = (base::NowNanos() / base::kNanosPerHour - 2) * base::kNanosPerHour;
};

TEST_F(ReadLimitsTest, RespondsToProbesWhileBusyAndFreesWorkersOfClosedConnections) {
  AppendLogs();
  std::vector<std::unique_ptr<net::RawClient>> clients;
  for (uint64_t i = 0; i < 4 * kWorkers; ++i) {
    clients.push_back(std::make_unique<net::RawClient>(PortOf(server_.http())));
    clients.back()->Send(
        base::StrCat("GET ", SlowSearch(), "&timeout=60s HTTP/1.1\r\nHost: x\r\n\r\n"));
  }
  ASSERT_TRUE(base::testing::Eventually([&] { return server_.Metric(kInFlight) > kWorkers; }));
  for (const char* probe : {"/healthz", "/readyz", "/metrics"})
    EXPECT_EQ(Fetch(probe).status, 200) << probe;
  // Requests beyond the number of workers are queued, but the probes were not.
  EXPECT_GT(server_.Metric(kInFlight), kWorkers);

  clients.clear();
  EXPECT_TRUE(base::testing::Eventually([&] { return server_.Metric(kInFlight) == 0; }));
  EXPECT_GT(server_.Metric(Stopped("client_gone")), 0u);
  EXPECT_EQ(server_.Metric(Stopped("deadline")), 0u);
}

TEST_F(ReadLimitsTest, SearchBeyondItsDeadlineReturnsAPartialResult) {
  AppendLogs();
  AppendSpans();
  AppendPoints();
  const std::string from = base::StrCat("from=", start_, "&to=now");
  uint64_t stopped = 0;
  for (const std::string& path :
       {base::StrCat("/api/v1/logs?", from, "&text=nothing"), base::StrCat("/api/v1/logs?", from),
        base::StrCat("/api/v1/traces?", from, "&name=s"),
        base::StrCat("/api/v1/traces?", from, "&name=nothing"),
        base::StrCat("/api/v1/trace/", kTraceId, "?format=json"),
        base::StrCat("/api/v1/metrics/query?name=heat&", from)}) {
    const Answer late = Fetch(path + "&timeout=1ns");
    EXPECT_EQ(late.status, 200) << path << " " << late.body;
    EXPECT_THAT(late.body, AllOf(HasSubstr(R"("partial":true)"), HasSubstr("in time"),
                                 Not(HasSubstr(R"("empty":)"))))
        << path;
    EXPECT_EQ(server_.Metric(Stopped("deadline")), ++stopped) << path;
    EXPECT_THAT(Fetch(path).body, HasSubstr(R"("partial":false)")) << path;
  }
}

TEST_F(ReadLimitsTest, ExportBeyondItsDeadlineIsAnError) {
  for (uint64_t i = 0; i < 3; ++i)
    ASSERT_EQ(Send({.url = server_.otlp_http() + "/v1/profiles",
                    .body = NumberedMessage(i, start_ + i * base::kNanosPerHour / 2, 1000)})
                  .status,
              200);
  const std::string path = base::StrCat("/api/v1/export?format=folded&from=", start_, "&to=now");
  EXPECT_EQ(Fetch(path).status, 200) << Fetch(path).body;
  const Answer late = Fetch(path + "&timeout=1ns");
  EXPECT_EQ(late.status, 504);
  EXPECT_THAT(late.body, AllOf(HasSubstr("deadline_exceeded"), HasSubstr("raise `timeout`")));
}

}  // namespace
}  // namespace flarestack::testing
