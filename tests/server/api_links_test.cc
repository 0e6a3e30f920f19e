// SPDX-License-Identifier: Apache-2.0
//
// Links from each signal to every other one and back, and from one version of a service to the
// next.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/text/encoding.h"
#include "base/text/text.h"
#include "store/testing/event_text.h"
#include "support/otlp_messages.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using store::testing::MakeBatch;
using ::testing::HasSubstr;

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kHour = 3600 * kSecond;
constexpr uint64_t kTime = 1'772'366'400 * kSecond;  // 2026-03-01T12:00:00Z

class ApiLinksTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.is_running()) << server_.log();
    const auto at = [](uint64_t millis) { return base::StrCat(" @", kTime + millis * 1'000'000); };
    // A span of 100 ms with samples linked to it, one sample of its thread without a link, and one
    // wait.
    Profiles(
        {{.service = "cart",
          .time = kTime,
          .lines = {"main;serve;parse" + at(10) + " 20000000 link=7",
                    "main;serve;render" + at(30) + " 20000000 link=7",
                    "main;gc" + at(50) + " 10000000", "main;idle" + at(5000) + " 10000000",
                    base::StrCat("main;serve;parse @", kTime - 60 * kSecond, " 10000000 link=8")}},
         {.service = "cart",
          .type = "offcpu",
          .time = kTime,
          .lines = {"main;serve;read" + at(70) + " 30000000 link=7"}}});
    Json("/v1/traces",
         TracesRequest("cart", {Span(7, kTime, kTime + 100'000'000),
                                Span(8, kTime - 60 * kSecond, kTime - 59 * kSecond)}));
    Json("/v1/logs",
         LogsRequest("cart", {base::StrCat(R"({"timeUnixNano":")", kTime + 1000, R"(","traceId":")",
                                           Trace(), R"(","spanId":")", SpanOf(),
                                           R"(","body":{"stringValue":"sold out"}})")}));
    Json("/v1/metrics",
         MetricsRequest(
             "cart",
             {base::StrCat(R"({"name":"latency","gauge":{"dataPoints":[{"timeUnixNano":")",
                           kTime + kSecond, R"(","asDouble":0.1,"exemplars":[{"timeUnixNano":")",
                           kTime + kSecond, R"(","asDouble":0.1,"traceId":")", Trace(),
                           R"(","spanId":")", SpanOf(), R"("}]}]}})")}));
  }

  static std::string Trace() { return base::HexEncode(store::testing::TraceId(7)); }
  static std::string SpanOf() { return base::HexEncode(store::testing::SpanId(7)); }

  // A span with the trace and span id that samples with this link number have.
  static std::string Span(uint32_t number, uint64_t from, uint64_t to) {
    return base::StrCat(R"({"traceId":")", base::HexEncode(store::testing::TraceId(number)),
                        R"(","spanId":")", base::HexEncode(store::testing::SpanId(number)),
                        R"(","name":"GET /cart","kind":2,"startTimeUnixNano":")", from,
                        R"(","endTimeUnixNano":")", to, R"("})");
  }

  void Profiles(const std::vector<store::testing::TextProfile>& profiles) {
    EXPECT_EQ(
        Send({.url = server_.otlp_http() + "/v1/profiles", .body = ToProtobuf(MakeBatch(profiles))})
            .status,
        200);
  }
  void Json(const std::string& path, const std::string& body) {
    const Answer response =
        Send({.url = server_.otlp_http() + path, .content_type = "application/json", .body = body});
    EXPECT_EQ(response.status, 200) << response.body;
  }

  nlohmann::json Fetch(const std::string& path) {
    const Answer response = Get(server_.http() + path);
    EXPECT_EQ(response.status, 200) << path << response.body;
    return nlohmann::json::parse(response.body, nullptr, false);
  }

  // Returns "to, quality, count: what" per link, and checks that each link leads to data.
  std::string Links(const std::string& request) {
    std::string text;
    const nlohmann::json found = Fetch("/api/v1/links?" + request);
    for (const auto& link : found["links"]) {
      base::StrAppend(&text, link["to"].get<std::string>(), ", ",
                      link["quality"].get<std::string>(), ", ", link["count"].get<int>(), ": ",
                      link["what"].get<std::string>(), "\n");
      const auto shown = Fetch(link["url"].get<std::string>());
      EXPECT_FALSE(shown.contains("empty")) << link.dump() << shown.dump();
    }
    return text;
  }

  TemporaryFolder folder_;
  ServerProcess server_{folder_.File("data"), {"--retention", "0"}};
};

TEST_F(ApiLinksTest, LinksASpan) {
  EXPECT_EQ(Links("trace=" + Trace() + "&span=" + SpanOf()),
            "trace, exact, 1: the whole trace\n"
            "profile, exact, 2: samples tagged with this span\n"
            "profile, exact, 1: samples tagged with this span\n"
            "profile, inferred, 3: whole thread (or process) during the span\n"
            "profile, inferred, 1: whole thread (or process) during the span\n"
            "logs, exact, 1: log records of this span\n"
            "logs, inferred, 1: log records of the same service in this time range\n"
            "metric, exact, 1: exemplars of this trace\n"
            "metric, inferred, 1: metric series of the same resource\n"
            "diff, inferred, 1: with spans of the same name in the previous hour\n");
  EXPECT_EQ(Fetch("/api/v1/links?trace=" + Trace() + "&span=" + SpanOf())["cost"].dump(),
            R"({"duration_ns":100000000,"off_cpu_ns":30000000,"on_cpu_ns":40000000,)"
            R"("quality":"exact","unaccounted_ns":30000000})");
}

TEST_F(ApiLinksTest, LinksATimeRangeToSampledTraces) {
  EXPECT_THAT(Links(base::StrCat("from=", kTime, "&to=", kTime + kSecond)),
              HasSubstr("trace, exact, 2: trace sampled in this time range\n"));
}

TEST_F(ApiLinksTest, LinksALogRecord) {
  Json("/v1/logs", LogsRequest("cart", {base::StrCat(R"({"timeUnixNano":")", kTime + 2000,
                                                     R"(","body":{"stringValue":"alone"}})")}));
  const nlohmann::json records = Fetch(
      base::StrCat("/api/v1/logs?order=asc&from=", kTime, "&to=", kTime + kSecond))["records"];
  ASSERT_EQ(records.size(), 2u);
  const auto id = [&](size_t i) { return records[i]["id"].get<std::string>(); };
  EXPECT_EQ(Links("log=" + id(0)), Links("trace=" + Trace() + "&span=" + SpanOf()));
  EXPECT_THAT(Links("log=" + id(1)),
              HasSubstr("profile, inferred, 4: samples in this time range\n"));
  EXPECT_NE(id(0), id(1));
  std::string other = id(0);
  other.back() = other.back() == '0' ? '1' : '0';
  EXPECT_EQ(Get(server_.http() + "/api/v1/links?log=" + other).status, 404);
  EXPECT_EQ(Get(server_.http() + "/api/v1/links?log=nosuch").status, 400);
}

TEST_F(ApiLinksTest, LinksATraceAFunctionAndATimeRange) {
  EXPECT_THAT(Links("trace=" + Trace()),
              HasSubstr("profile, exact, 2: samples tagged with this trace"));
  const std::string range = base::StrCat("&from=", kTime, "&to=", kTime + 10 * kSecond);
  EXPECT_EQ(Links("fn=parse&type=cpu" + range),
            "trace, exact, 1: trace with samples of this function\n"
            "profile, exact, 1: callers and callees\n"
            "logs, inferred, 1: log records of the same resource in this time range\n");
  EXPECT_EQ(Links("metric=latency" + range),
            "trace, exact, 1: exemplar trace\n"
            "profile, inferred, 4: samples in this time range\n"
            "profile, inferred, 1: samples in this time range\n"
            "trace, inferred, 1: spans started in this time range\n"
            "logs, inferred, 1: log records in this time range\n"
            "metric, inferred, 1: metric series of the same resource\n");
  EXPECT_EQ(
      Fetch("/api/v1/links?from=2020-01-01&to=2020-01-02&q=%7Ba%3D%22b%22%7D")["empty"]["reason"],
      "no related data is stored");
}

TEST_F(ApiLinksTest, SelectsProfilesOfSpansByScopeAndName) {
  const auto total = [&](const std::string& more) {
    return Fetch("/api/v1/top?type=cpu&" + more)["total"].get<int64_t>() / 1'000'000;
  };
  const std::string span = "trace=" + Trace() + "&span=" + SpanOf();
  EXPECT_EQ(total(span), 40);
  EXPECT_EQ(total(span + "&spanscope=thread"), 50);
  EXPECT_EQ(total(base::StrCat("spanname=GET%20/cart&from=", kTime - 100 * kSecond,
                               "&to=", kTime + kSecond)),
            50);
}

TEST_F(ApiLinksTest, ComparesVersions) {
  // Two versions, an hour each; the second one spends half of its time in a new function.
  std::vector<std::string> before;
  std::vector<std::string> after;
  for (int i = 0; i < 400; ++i) {
    const uint64_t time = kTime + static_cast<uint64_t>(i) * kSecond;
    before.push_back(base::StrCat("main;work @", time, " 10000000"));
    after.push_back(
        base::StrCat(i % 2 == 0 ? "main;work @" : "main;regex @", time + kHour, " 10000000"));
  }
  const auto batch = [&](const char* version, uint64_t time, std::vector<std::string> lines) {
    return store::testing::TextProfile{.service = "shop",
                                       .version = version,
                                       .period = 10'000'000,
                                       .time = time,
                                       .lines = std::move(lines)};
  };
  Profiles({batch("1.4.1", kTime, before), batch("1.4.2", kTime + kHour, after)});
  const std::string scope = base::StrCat("q=%7Bservice.name%3D%22shop%22%7D&type=cpu&from=", kTime,
                                         "&to=", kTime + 2 * kHour);
  const auto versions = Fetch("/api/v1/deployments?" + scope)["versions"];
  ASSERT_EQ(versions.size(), 2u);
  EXPECT_EQ(versions[0]["version"], "1.4.1");
  EXPECT_EQ(versions[1]["first_seen"], std::to_string(kTime + kHour));
  const auto found = Fetch("/api/v1/regressions?" + scope);
  EXPECT_EQ(found["norm"], "share");
  ASSERT_EQ(found["rows"].size(), 2u) << found.dump();
  EXPECT_EQ(found["rows"][0]["function"], "regex");
  EXPECT_EQ(found["rows"][1]["function"], "work");
  EXPECT_EQ(Get(server_.http() + "/api/v1/regressions?version=9&" + scope).status, 404);
}

}  // namespace
}  // namespace flarestack::testing
