// SPDX-License-Identifier: Apache-2.0
//
// One test per file of tests/golden/server: a request to a server, and the whole answer.
//
//   # What this shows.
//   query services                        a command line, run with --server
//   ----
//   ...                                   standard output and error, then the exit code if it is
//   not 0
//
//   GET /api/v1/services                  or a request, with the status, and the body without
//   `meta`, fractions rounded to nine digits
//
// All share one server with the same data. The address of the server is written as http://SERVER.
// FLARESTACK_UPDATE_GOLDEN=1 writes the actual answers to the files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/text/encoding.h"
#include "base/text/text.h"
#include "store/testing/event_text.h"
#include "support/golden_file.h"
#include "support/otlp_messages.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using store::testing::TextProfile;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kTime = 1'772'366'400 * kSecond;  // 2026-03-01T12:00:00Z

std::vector<TextProfile> Shop() {
  const auto at = [](uint64_t second) { return base::StrCat(" @", kTime + second * kSecond, " "); };
  return {{.service = "cart",
           .time = kTime,
           .lines = {"main;serve;parse" + at(1) + "30 thread=io link=7",
                     "main;serve;render" + at(2) + "50", "main;gc" + at(70) + "20 thread=gc"}},
          {.service = "shop", .time = kTime, .lines = {"main;serve;parse" + at(3) + "5"}},
          {.service = "cart",
           .type = "alloc_space",
           .unit = "bytes",
           .time = kTime,
           .lines = {"main;serve;make 4096"}}};
}

// A trace of two services; the sample of the thread `io` is linked to its root span, and so are a
// log record and an exemplar.
constexpr uint32_t kRoot = 7;
constexpr uint32_t kChild = 8;

std::string At(uint64_t millis) { return base::StrCat(kTime + millis * 1'000'000); }

std::string SpanIds(uint32_t span) {
  return base::StrCat(R"("traceId":")", base::HexEncode(store::testing::TraceId(kRoot)),
                      R"(","spanId":")", base::HexEncode(store::testing::SpanId(span)), R"(")");
}

std::string RootSpan() {
  return base::StrCat("{", SpanIds(kRoot), R"(,"name":"GET /cart","kind":2,"startTimeUnixNano":")",
                      At(900), R"(","endTimeUnixNano":")", At(1900), R"("})");
}

std::string ChildSpan() {
  return base::StrCat(
      "{", SpanIds(kChild), R"(,"parentSpanId":")", base::HexEncode(store::testing::SpanId(kRoot)),
      R"(","name":"stock","kind":2,"startTimeUnixNano":")", At(1100), R"(","endTimeUnixNano":")",
      At(1400), R"(","status":{"code":2,"message":"sold out"}})");
}

std::string LogRecord() {
  return base::StrCat(R"({"timeUnixNano":")", At(1200), R"(","severityNumber":17,)",
                      R"("severityText":"ERROR","body":{"stringValue":"item 5 is sold out"},)",
                      R"("attributes":[{"key":"item","value":{"intValue":"5"}}],)", SpanIds(kRoot),
                      "}");
}

std::string RequestCounter() {
  const auto point = [](uint64_t millis, int count, const std::string& exemplars) {
    return base::StrCat(R"({"startTimeUnixNano":")", At(0), R"(","timeUnixNano":")", At(millis),
                        R"(","asInt":")", count, R"(")", exemplars, "}");
  };
  const std::string exemplar = base::StrCat(R"(,"exemplars":[{"timeUnixNano":")", At(1900),
                                            R"(","asInt":"1",)", SpanIds(kRoot), "}]");
  return base::StrCat(R"({"name":"requests","unit":"1","sum":{"aggregationTemporality":2,)",
                      R"("isMonotonic":true,"dataPoints":[)", point(10'000, 4, exemplar), ",",
                      point(70'000, 10, ""), "]}}");
}

// Rounds fractions to nine digits: the last ones depend on the processor.
void Round(nlohmann::ordered_json* json) {
  if (json->is_number_float())
    *json = std::round(json->get<double>() * 1e9) / 1e9;
  if (!json->is_structured())
    return;
  for (auto& child : *json)
    Round(&child);
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

class ServerGoldenTest : public ::testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    server_ = std::make_unique<ServerProcess>(folder_->File("data"));
    ASSERT_TRUE(server_->is_running()) << server_->log();
    const std::string request = ToProtobuf(store::testing::MakeBatch(Shop()));
    ASSERT_EQ(Send({.url = server_->otlp_http() + "/v1/profiles", .body = request}).status, 200);
    SendJson("/v1/traces", TracesRequest("cart", {RootSpan()}));
    SendJson("/v1/traces", TracesRequest("shop", {ChildSpan()}));
    SendJson("/v1/logs", LogsRequest("cart", {LogRecord()}));
    SendJson("/v1/metrics", MetricsRequest("cart", {RequestCounter()}));
  }

  static void SendJson(const std::string& path, const std::string& body) {
    const Answer response = Send(
        {.url = server_->otlp_http() + path, .content_type = "application/json", .body = body});
    EXPECT_EQ(response.status, 200) << response.body;
    EXPECT_THAT(response.body, Not(HasSubstr("partialSuccess"))) << path;
  }

  static void TearDownTestSuite() {
    server_ = nullptr;
    folder_ = nullptr;
  }

  static std::string AnswerTo(const std::string& request) {
    std::istringstream in(request);
    std::vector<std::string> words(std::istream_iterator<std::string>(in), {});
    if (words.front() == "GET") {
      const Answer response = Get(server_->http() + words.at(1));
      auto json = nlohmann::ordered_json::parse(response.body, nullptr, /*allow_exceptions=*/false);
      json.erase("meta");  // it has times
      json.erase("request_id");
      Round(&json);
      return base::StrCat(response.status, "\n", json.dump(2), "\n");
    }
    words.insert(words.end(), {"--server", server_->http()});
    const RunResult run = Flarestack(words);
    return base::StrCat(run.out, run.error,
                        run.exit_code == 0 ? "" : base::StrCat("exit ", run.exit_code, "\n"));
  }

  static inline std::unique_ptr<TemporaryFolder> folder_;
  static inline std::unique_ptr<ServerProcess> server_;
};

TEST_P(ServerGoldenTest, AnswerMatchesTheFile) {
  const GoldenFile golden = ReadGoldenFile("server", GetParam());
  std::string request;
  std::istringstream lines(golden.head);
  while (std::getline(lines, request) && request.starts_with("#")) {
  }
  ASSERT_FALSE(request.empty()) << golden.path << " has no request";
  ExpectGolden(golden, Replaced(AnswerTo(request), server_->http(), "http://SERVER"));
}

INSTANTIATE_TEST_SUITE_P(Files, ServerGoldenTest, ::testing::ValuesIn(GoldenNames("server")),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace flarestack::testing
