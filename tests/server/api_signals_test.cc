// SPDX-License-Identifier: Apache-2.0
//
// The endpoints for traces, logs and metrics: sends OTLP and compares responses as text. Times in
// responses are written as T plus an offset, where T is a full hour of today.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "base/clock.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "store/testing/event_text.h"
#include "support/otlp_messages.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kSecond = 1'000'000'000;

const std::string& TraceId() {
  static const std::string id = base::HexEncode(store::testing::TraceId(7));
  return id;
}
const std::string& LinkedSpanId() {
  static const std::string id = base::HexEncode(store::testing::SpanId(7));
  return id;
}

std::string Text(std::string_view key, std::string_view value) {
  return base::StrCat(R"({"key":")", key, R"(","value":{"stringValue":")", value, R"("}})");
}

// Joins several lines into one.
std::string Flat(std::string_view lines) {
  std::string text;
  bool is_indent = true;
  for (const char c : lines) {
    if (c == '\n')
      is_indent = true;
    else if (!is_indent || c != ' ') {
      is_indent = false;
      text += c;
    }
  }
  return text;
}

class ApiSignalsTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(server_.is_running()) << server_.log(); }

  std::string At(uint64_t offset) const { return base::StrCat("\"", start_ + offset, "\""); }

  void PostJson(const std::string& path, const std::string& body) {
    const Answer response =
        Send({.url = server_.otlp_http() + path, .content_type = "application/json", .body = body});
    EXPECT_EQ(response.status, 200) << response.body;
  }

  struct TestSpan {
    std::string trace;
    std::string id;
    std::string parent = {};
    std::string name;
    uint64_t from = 0;
    uint64_t to = 0;
    std::string more = {};
  };
  std::string Span(const TestSpan& span) const {
    return base::StrCat(R"({"traceId":")", span.trace, R"(","spanId":")", span.id,
                        R"(","parentSpanId":")", span.parent, R"(","name":")", span.name,
                        R"(","startTimeUnixNano":)", At(span.from), R"(,"endTimeUnixNano":)",
                        At(span.to), span.more, "}");
  }
  std::string Record(uint64_t time, std::string_view body, std::string_view more = "") const {
    return base::StrCat(R"({"timeUnixNano":)", At(time), R"(,"body":{"stringValue":")", body, "\"}",
                        more, "}");
  }

  // The whole hour.
  std::string Range() const {
    return base::StrCat("from=", start_, "&to=", start_ + 3600 * kSecond);
  }

  // Omits `meta`, and writes times relative to T.
  std::string Fetch(const std::string& path_and_query) const {
    const Answer response = Get(server_.http() + "/api/v1" + path_and_query);
    return Readable(response.body.substr(0, response.body.find(R"(,"meta":)")));
  }
  int StatusOf(const std::string& path_and_query) const {
    return Get(server_.http() + "/api/v1" + path_and_query).status;
  }

  std::string Readable(const std::string& body) const {
    std::string text;
    for (size_t i = 0; i < body.size();) {
      const size_t end = std::min(body.find_first_not_of("0123456789", i), body.size());
      if (end - i != base::StrCat(start_).size()) {
        text += body.substr(i, std::max<size_t>(end - i, 1));
        i = std::max(end, i + 1);
        continue;
      }
      const uint64_t offset = std::stoull(body.substr(i, end - i)) - start_;
      if (offset != 0 && offset % kSecond == 0)
        base::StrAppend(&text, "T+", offset / kSecond, "s");
      else
        base::StrAppend(&text, "T+", offset);
      i = end;
    }
    return text;
  }

  TemporaryFolder folder_;
  ServerProcess server_ = ServerProcess(folder_.File("data"));
  const uint64_t start_ = (base::NowNanos() / base::kNanosPerHour - 2) * base::kNanosPerHour;
};

TEST_F(ApiSignalsTest, FindsTraces) {
  const std::string a(32, 'a');
  const std::string b(32, 'b');
  const std::string error = R"(,"status":{"code":2})";
  const std::string route = base::StrCat(R"(,"attributes":[)", Text("http.route", "/buy"), "]");
  PostJson("/v1/traces",
           TracesRequest("shop", {Span({a, "000000000000000a", "", "GET /", 0, 1000, route}),
                                  Span({b, "000000000000000b", "", "PUT /", 100, 400})}));
  PostJson("/v1/traces",
           TracesRequest(
               "cart", {Span({a, "000000000000000c", "000000000000000a", "add", 10, 300, error})}));
  const std::string row_of_a = Flat(R"(
      {"trace_id":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
       "root":{"service":"shop","name":"GET /","start":"T+0","duration":1000,"status":"unset",
       "is_orphan":false},
       "spans":2,"errors":1,"services":["cart","shop"],)");
  EXPECT_EQ(
      Fetch("/traces?status=error&" + Range()),
      R"({"traces":[)" + row_of_a +
          R"("longest_match":290,"matches":["000000000000000c"]}],"has_more":false,"next":null)");
  EXPECT_EQ(
      Fetch("/traces?service=shop&sort=duration&" + Range()),
      R"({"traces":[)" + row_of_a + Flat(R"("longest_match":1000,"matches":["000000000000000a"]},
                     {"trace_id":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
                      "root":{"service":"shop","name":"PUT /","start":"T+100","duration":300,
                      "status":"unset","is_orphan":false},
                      "spans":1,"errors":0,"services":["shop"],
                      "longest_match":300,"matches":["000000000000000b"]}],
                      "has_more":false,"next":null)"));
  const auto finds = [&](const std::string& conditions) {
    const std::string found = Fetch("/traces?" + conditions + "&" + Range());
    return std::string(found.find(a) != std::string::npos ? "a" : "") +
           (found.find(b) != std::string::npos ? "b" : "");
  };
  EXPECT_EQ(finds("name=add"), "a");
  EXPECT_EQ(finds("name=" + UrlEncode("/T /")), "ab");
  EXPECT_EQ(finds("min_duration=500ns"), "a");
  EXPECT_EQ(finds("max_duration=295ns"), "a");
  EXPECT_EQ(finds("attr=http.route%3D/buy"), "a");
  EXPECT_EQ(finds("attr=http.route%3D/buy&status=error"), "");  // no single span matches both
  EXPECT_EQ(finds("limit=1"), "b");
  const auto first = nlohmann::json::parse(Fetch("/traces?limit=1&" + Range()) + "}");
  EXPECT_EQ(first["has_more"], true);
  EXPECT_EQ(first["next"], "T+101");
  const std::string second = Fetch(base::StrCat("/traces?from=", start_, "&to=", start_ + 101));
  EXPECT_THAT(second, AllOf(HasSubstr(a), HasSubstr(b)));  // the last one is found again
  EXPECT_EQ(finds("limit=1&sort=duration"), "a");
  EXPECT_EQ(finds("q=" + UrlEncode(R"({service.name="cart"})")), "a");
}

TEST_F(ApiSignalsTest, ReportsWhyNoTraceWasFound) {
  PostJson("/v1/traces",
           TracesRequest("shop",
                         {Span({std::string(32, 'a'), "000000000000000a", "", "GET /", 5, 1000})}));
  EXPECT_EQ(Fetch("/traces?service=shop&name=PUT&status=unset&" + Range()), Flat(R"(
      {"traces":[],"has_more":false,"next":null,"empty":{"reason":"excluded by name=PUT",
       "excluded_by":["name=PUT"],"nearest":null})"));
  EXPECT_EQ(Fetch("/traces?name=PUT&status=error&" + Range()), Flat(R"(
      {"traces":[],"has_more":false,"next":null,"empty":{"reason":
      "several filters together exclude all data in this time range",
       "excluded_by":[],"nearest":null})"));
  EXPECT_EQ(
      Fetch(base::StrCat("/traces?from=", start_ + 60 * kSecond, "&to=", start_ + 90 * kSecond)),
      Flat(
          R"({"traces":[],"has_more":false,"next":null,"empty":{"reason":"no data in this time range",
                     "excluded_by":[],"nearest":"T+5"})"));
}

TEST_F(ApiSignalsTest, ShowsATrace) {
  PostJson(
      "/v1/traces",
      TracesRequest(
          "shop",
          {Span({TraceId(), "000000000000000a", "", "GET /", 0, 1000,
                 R"(,"kind":2,"events":[{"timeUnixNano":)" + At(40) + R"(,"name":"cache miss"}])"}),
           Span({TraceId(), "000000000000000d", "00000000000000ff", "lost", 900, 950})}));
  PostJson("/v1/traces",
           TracesRequest(
               "cart",
               {Span({TraceId(), LinkedSpanId(), "000000000000000a", "add", 100, 600,
                      base::StrCat(R"(,"kind":3,"status":{"code":2,"message":)",
                                   R"("no stock"},"attributes":[)", Text("item", "book"), "]")})}));
  PostJson(
      "/v1/logs",
      LogsRequest("cart", {Record(150, "sold out",
                                  base::StrCat(R"(,"severityNumber":17,"traceId":")", TraceId(),
                                               R"(","spanId":")", LinkedSpanId(), "\""))}));
  EXPECT_EQ(Send({.url = server_.otlp_http() + "/v1development/profiles",
                  .body = ToProtobuf(store::testing::MakeBatch(
                      {{.time = start_,
                        .lines = {base::StrCat("main;a @", start_ + 200, " 5 link=7"),
                                  base::StrCat("main;b @", start_ + 300, " 6 link=7"),
                                  base::StrCat("main;c @", start_ + 300, " 9 link=8")}}}))})
                .status,
            200);
  EXPECT_EQ(Fetch("/trace/" + TraceId()),
            Flat(base::StrCat(R"(
      {"trace_id":")",
                              TraceId(), R"(","start":"T+0","duration":1000,"root":0,
       "spans":{
       "span_id":["000000000000000a",")",
                              LinkedSpanId(), R"(","000000000000000d"],
       "parent":[-1,0,-1],
       "parent_is":["none","found","missing"],
       "service":[0,1,0],
       "resource":[0,1,0],
       "name":[0,1,2],
       "start":[0,100,900],
       "duration":[1000,500,50],
       "self":[500,500,50],
       "kind":["server","client","unspecified"],
       "status":["unset","error","unset"],
       "status_message":["","no stock",""],
       "is_on_critical_path":[true,true,false],
       "attributes":[{},{"item":"book"},{}],
       "events":[[{"time":40,"name":"cache miss","attributes":{}}],[],[]],
       "links":[[],[],[]]},
       "names":["GET /","add","lost"],
       "services":["shop","cart"],
       "resources":[{"attributes":{"service.name":"shop"}},{"attributes":{"service.name":"cart"}}],
       "critical_path":[{"span":0,"from":0,"to":100},{"span":1,"from":100,"to":600},
       {"span":0,"from":600,"to":1000}],
       "logs":[{"span":1,"count":1,"first":[{"time":150,"severity":17,"body":"sold out"}]}],
       "samples":[{"span":1,"span_id":")",
                              LinkedSpanId(), R"(",
       "types":[{"type":"cpu","unit":"nanoseconds","count":2,"sum":11}]}])")));
  EXPECT_THAT(Fetch("/trace/" + TraceId() + "?format=otlp"), HasSubstr(R"({"resourceSpans":[)"));
  EXPECT_EQ(StatusOf("/trace/" + std::string(32, 'e')), 404);
  EXPECT_EQ(StatusOf("/trace/xyz"), 400);
  EXPECT_EQ(StatusOf("/trace/" + TraceId() + "?format=xml"), 400);
}

TEST_F(ApiSignalsTest, FindsLogs) {
  const std::string trace(32, 'a');
  PostJson(
      "/v1/logs",
      LogsRequest("shop",
                  {Record(10, "started"),
                   Record(20, "disk full",
                          base::StrCat(R"(,"severityNumber":17,"severityText":"ERROR",)",
                                       R"("traceId":")", trace, R"(","spanId":"000000000000000a",)",
                                       R"("attributes":[)", Text("disk", "sda"), "]"))}));
  PostJson("/v1/logs", LogsRequest("cart", {Record(15, "disk ok")}));
  const std::regex id(R"("id":"[0-9a-f]{32}",)");
  EXPECT_EQ(std::regex_replace(Fetch("/logs?severity=error&" + Range()), id, ""), Flat(R"(
      {"records":[{"time":"T+20","severity":17,"severity_text":"ERROR","service":"shop",
       "body":"disk full","attributes":{"disk":"sda"},
       "trace_id":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","span_id":"000000000000000a"}],
       "next":null)"));
  const auto bodies = [&](const std::string& conditions) {
    const std::string found = Fetch("/logs?" + conditions);
    std::string text;
    for (size_t at = 0; (at = found.find(R"("body":")", at)) != std::string::npos;) {
      at += 8;
      base::StrAppend(&text, text.empty() ? "" : ", ", found.substr(at, found.find('"', at) - at));
    }
    return text;
  };
  EXPECT_EQ(bodies(Range()), "disk full, disk ok, started");
  EXPECT_EQ(bodies("order=asc&" + Range()), "started, disk ok, disk full");
  EXPECT_EQ(bodies("text=disk&" + Range()), "disk full, disk ok");
  EXPECT_EQ(bodies("text=" + UrlEncode("/k$/") + "&" + Range()), "disk ok");
  EXPECT_EQ(bodies("q=" + UrlEncode(R"({service.name="cart"})") + "&" + Range()), "disk ok");
  EXPECT_EQ(bodies("trace=" + trace), "disk full");
  EXPECT_EQ(bodies("trace=" + trace + "&span=000000000000000b"), "");
  EXPECT_THAT(Fetch("/logs?severity=fatal&" + Range()),
              HasSubstr(R"("excluded_by":["severity=fatal"])"));
  EXPECT_THAT(Fetch("/logs?format=otlp&" + Range()), HasSubstr(R"({"resourceLogs":[)"));
}

TEST_F(ApiSignalsTest, CountsLogsOverTime) {
  PostJson("/v1/logs",
           LogsRequest("shop", {Record(20, "a"), Record(20, "b", R"(,"severityNumber":17)"),
                                Record(2 * kSecond, "b", R"(,"severityNumber":20)")}));
  const std::string range = base::StrCat("from=", start_, "&to=", start_ + 3 * kSecond);
  EXPECT_EQ(Fetch("/logs/volume?" + range), Flat(R"(
      {"start":"T+0","step":1000000000,"count":3,"lines":[
       {"severity":"none","values":[1,0,0]},{"severity":"error","values":[1,0,1]}])"));
  EXPECT_THAT(Fetch("/logs/volume?text=a&" + range), HasSubstr(R"("count":1)"));
  EXPECT_THAT(Fetch("/logs/volume?severity=fatal&" + range), HasSubstr(R"("count":0,"lines":[])"));
}

TEST_F(ApiSignalsTest, CountsLogsByFacet) {
  PostJson("/v1/logs", LogsRequest("shop", {Record(20, "order 17 placed", R"(,"severityNumber":9)"),
                                            Record(21, "order 18 placed", R"(,"severityNumber":9)"),
                                            Record(22, "disk full", R"(,"severityNumber":17)")}));
  PostJson("/v1/logs", LogsRequest("cart", {Record(15, "disk full")}));
  const auto facets = [&](const std::string& conditions) {
    const std::string found = Fetch("/logs/volume?" + conditions + Range());
    const size_t at = found.find(R"("facets":)");
    return at == std::string::npos ? "" : found.substr(at);
  };
  EXPECT_EQ(facets(""), "");
  EXPECT_EQ(facets("facets=10&"), Flat(R"(
      "facets":{
       "services":{"values":[{"value":"shop","count":3},{"value":"cart","count":1}],"other":0},
       "severities":{"values":[{"value":"error","count":1},{"value":"info","count":2},
        {"value":"none","count":1}],"other":0},
       "patterns":{"values":[{"value":"disk full","count":2},{"value":"order # placed","count":2}],
        "other":0}})"));
  EXPECT_THAT(facets("facets=1&"), HasSubstr(Flat(R"(
      "services":{"values":[{"value":"shop","count":3}],"other":1})")));
  EXPECT_THAT(facets("facets=10&severity=info&text=order&"), HasSubstr(Flat(R"(
      "services":{"values":[{"value":"shop","count":2}],"other":0})")));
  EXPECT_EQ(StatusOf("/logs/volume?facets=1001&" + Range()), 400);
}

TEST_F(ApiSignalsTest, PagesThroughLogsWithTheSameTime) {
  std::vector<std::string> records;
  for (int i = 0; i < 7; ++i)
    records.push_back(Record(30, base::StrCat("record ", i)));
  PostJson("/v1/logs", LogsRequest("shop", records));
  PostJson("/v1/logs", LogsRequest("cart", {Record(30, "record 7"), Record(40, "record 8")}));
  for (const char* order : {"asc", "desc"}) {
    std::multiset<std::string> seen;
    std::string cursor;
    for (int page = 0; page < 5; ++page) {
      // Read the raw body: a cursor may look like a time.
      const std::string found =
          Get(base::StrCat(server_.http(), "/api/v1/logs?limit=2&order=", order, "&cursor=", cursor,
                           "&", Range()))
              .body;
      for (size_t at = 0; (at = found.find("record ", at)) != std::string::npos; ++at)
        seen.insert(found.substr(at, 8));
      const size_t next = found.find(R"("next":)") + 8;
      cursor = found.substr(next, found.find('"', next) - next);
    }
    EXPECT_EQ(cursor.substr(0, 3), "ull");  // from null: there is no sixth page
    EXPECT_EQ(seen.size(), 9u);
    EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), 9u);
  }
}

TEST_F(ApiSignalsTest, ListsAndChartsMetrics) {
  const auto point = [&](uint64_t seconds, int value, std::string_view code,
                         std::string_view more = "") {
    return base::StrCat(R"({"startTimeUnixNano":)", At(0), R"(,"timeUnixNano":)",
                        At(seconds * kSecond), R"(,"asInt":")", value, R"(","attributes":[)",
                        Text("code", code), "]", more, "}");
  };
  const std::string exemplar = base::StrCat(R"(,"exemplars":[{"timeUnixNano":)", At(15 * kSecond),
                                            R"(,"asInt":"3","traceId":")", std::string(32, 'a'),
                                            R"(","spanId":"000000000000000a"}])");
  PostJson("/v1/metrics",
           MetricsRequest(
               "shop",
               {base::StrCat(R"({"name":"requests","unit":"1","sum":{"aggregationTemporality":2,)",
                             R"("isMonotonic":true,"dataPoints":[)", point(10, 100, "200"), ",",
                             point(20, 150, "200", exemplar), ",", point(20, 40, "500"), "]}}"),
                base::StrCat(R"({"name":"latency","unit":"s","histogram":{)",
                             R"("aggregationTemporality":1,"dataPoints":[{"timeUnixNano":)",
                             At(10 * kSecond), R"(,"count":"4","sum":50,"bucketCounts":["0","4"],)",
                             R"("explicitBounds":[10],"max":20}]}})")}));
  EXPECT_EQ(Fetch("/metrics"), Flat(R"(
      {"metrics":[
      {"name":"latency","type":"histogram","unit":"s","description":"","is_monotonic":false,
       "series":1,"services":["shop"],"attributes":[]},
      {"name":"requests","type":"sum","unit":"1","description":"","is_monotonic":true,
       "series":2,"services":["shop"],"attributes":["code"]}])"));
  const std::string range = base::StrCat("&step=10s&from=", start_, "&to=", start_ + 30 * kSecond);
  EXPECT_EQ(Fetch("/metrics/query?name=requests&by=code&rate=1" + range), Flat(R"(
      {"name":"requests","type":"sum","unit":"1","description":"","is_monotonic":true,
       "agg":"sum","is_rate":true,"start":"T+0","step":10000000000,"lines":[
       {"key":{"code":"200"},"is_other":false,"groups":1,"series":1,"interval":0,"values":[10,5,null],
       "exemplars":[{"time":"T+15s","value":3,"trace_id":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
       "span_id":"000000000000000a"}]},
       {"key":{"code":"500"},"is_other":false,"groups":1,"series":1,"interval":0,"values":[2,2,null],
       "exemplars":[]}])"));
  EXPECT_THAT(
      Fetch("/metrics/query?name=requests&by=code&top=1" + range),
      AllOf(HasSubstr(R"("values":[null,100,150])"),
            HasSubstr(
                R"("is_other":true,"groups":1,"series":1,"interval":0,"values":[null,null,40])")));
  EXPECT_THAT(Fetch("/metrics/query?name=latency&agg=p50" + range),
              HasSubstr(R"("values":[null,15,null])"));
}

TEST_F(ApiSignalsTest, MetricStepsMatchTheSendInterval) {
  std::string points;
  for (uint64_t i = 0; i < 10; ++i) {
    base::StrAppend(&points, i == 0 ? "" : ",", R"({"timeUnixNano":)", At(i * 60 * kSecond),
                    R"(,"asInt":")", i, R"("})");
  }
  PostJson("/v1/metrics",
           MetricsRequest(
               "shop", {base::StrCat(R"({"name":"heat","gauge":{"dataPoints":[)", points, "]}}")}));
  const std::string range =
      base::StrCat("/metrics/query?name=heat&from=", start_, "&to=", start_ + 600 * kSecond);
  EXPECT_THAT(Fetch(range), AllOf(HasSubstr(R"("step":60000000000)"),
                                  HasSubstr(R"("interval":60000000000,"values":[0,1,2,3,)")));
  EXPECT_THAT(Fetch(range + "&step=30s"), HasSubstr(R"("values":[0,0,1,1,2,2,)"));
}

TEST_F(ApiSignalsTest, ReportsWhyAMetricHasNoPoints) {
  PostJson(
      "/v1/metrics",
      MetricsRequest("shop", {base::StrCat(R"({"name":"heat","gauge":{"dataPoints":[)",
                                           R"({"timeUnixNano":)", At(5), R"(,"asInt":"1"}]}})")}));
  EXPECT_THAT(Fetch("/metrics/query?name=cold&" + Range()), HasSubstr("no such metric"));
  EXPECT_THAT(
      Fetch("/metrics/query?name=heat&q=" + UrlEncode(R"({service.name="x"})") + "&" + Range()),
      HasSubstr(R"(excluded by {service.name=\"x\"})"));
  EXPECT_THAT(Fetch("/metrics/query?name=heat&from=now-10m"),
              HasSubstr("no data in this time range"));
}

TEST_F(ApiSignalsTest, RejectsBadParametersAndSuggestsCorrections) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"/traces?status=bad", "ok, error or unset"},
      {"/traces?attr=x", "KEY=VALUE"},
      {"/traces?min_duration=fast", "`min_duration`"},
      {"/traces?min_duration=2s&max_duration=1s", "must not exceed"},
      {"/traces?name=" + UrlEncode("/(/"), "`name`"},
      {"/traces?limit=501", "from 1 to 500"},
      {"/traces?sort=name", "start or duration"},
      {"/logs?severity=loud", "warn, error, fatal"},
      {"/logs?order=up", "asc or desc"},
      {"/logs?cursor=zz", "of an earlier response"},
      {"/logs?cursor=00", "invalid cursor"},
      {"/logs?span=000000000000000a", "also needs `trace`"},
      {"/logs?text=" + UrlEncode("/[/"), "`text`"},
      {"/metrics/query", "the name of a metric"},
      {"/metrics/query?name=x&agg=median", "such as p95"},
      {"/metrics/query?name=x&step=1ms", "at most 2000"},
      {"/metrics/query?name=x&rate=2", "from 0 to 1"},
      {"/metrics?from=now", "unknown parameter"},
  };
  for (const auto& [path, message] : cases) {
    EXPECT_EQ(StatusOf(path), 400) << path;
    EXPECT_THAT(Fetch(path), HasSubstr(message)) << path;
  }
}

}  // namespace
}  // namespace flarestack::testing
