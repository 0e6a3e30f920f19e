// SPDX-License-Identifier: Apache-2.0
//
// `flarestack query`: sends telemetry, queries it with the program, and compares text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/text/text.h"
#include "store/testing/event_text.h"
#include "support/otlp_messages.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kNoon = 1'772'366'400 * kSecond;  // 2026-03-01T12:00:00Z

class QueryCommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.is_running()) << server_.log();
    SendProfiles();
    SendSignals();
  }

  void SendProfiles() {
    const auto at = [](uint64_t second) {
      return base::StrCat(" @", kNoon + second * kSecond, " ");
    };
    const auto batch = store::testing::MakeBatch(
        {{.service = "cart",
          .version = "1.4",
          .time = kNoon,
          .lines = {"main;parse" + at(1) + "30 thread=io", "main;gc" + at(70) + "20 thread=gc"}},
         {.service = "shop", .time = kNoon, .lines = {"main;render" + at(3) + "5"}}});
    EXPECT_EQ(Send({.url = server_.otlp_http() + "/v1/profiles", .body = ToProtobuf(batch)}).status,
              200);
  }

  void PostJson(const std::string& path, const std::string& body) {
    const Answer response =
        Send({.url = server_.otlp_http() + path, .content_type = "application/json", .body = body});
    EXPECT_EQ(response.status, 200) << response.body;
  }

  void SendSignals() {
    const std::string trace(32, 'a');
    const auto span = [&](const std::string& id, const std::string& parent,
                          const std::string& name_and_more, uint64_t from, uint64_t to) {
      return base::StrCat(R"({"traceId":")", trace, R"(","spanId":")", id, R"(","parentSpanId":")",
                          parent, R"(","startTimeUnixNano":)", kNoon + from,
                          R"(,"endTimeUnixNano":)", kNoon + to, R"(,"name":)", name_and_more, "}");
    };
    PostJson("/v1/traces",
             TracesRequest("shop", {span("000000000000000a", "", R"("GET /")", 0, 2'000'000)}));
    PostJson("/v1/traces",
             TracesRequest("cart", {span("000000000000000b", "000000000000000a",
                                         R"("add","status":{"code":2})", 500'000, 1'500'000)}));
    const auto record = [&](uint64_t time, std::string_view body, std::string_view more) {
      return base::StrCat(R"({"timeUnixNano":)", kNoon + time, R"(,"body":{"stringValue":")", body,
                          "\"}", more, "}");
    };
    PostJson("/v1/logs",
             LogsRequest("cart", {record(0, "loaded", R"(,"severityNumber":9)"),
                                  record(kSecond / 2, R"(disk \u001b[31mfull)",
                                         base::StrCat(R"(,"severityText":"ERROR","traceId":")",
                                                      trace, R"(","severityNumber":17)"))}));
    const auto point = [&](uint64_t second, int value) {
      return base::StrCat(R"({"startTimeUnixNano":)", kNoon, R"(,"timeUnixNano":)",
                          kNoon + second * kSecond, R"(,"asInt":)", value, "}");
    };
    PostJson("/v1/metrics",
             MetricsRequest("cart", {base::StrCat(R"({"name":"queue","unit":"items",)",
                                                  R"("gauge":{"dataPoints":[)", point(5, 2), ",",
                                                  point(65, 8), "]}}")}));
  }

  RunResult Query(std::vector<std::string> words) const {
    words.insert(words.begin(), "query");
    words.insert(words.end(), {"--server", server_.http()});
    return Flarestack(words);
  }
  // Queries the two minutes that contain all data.
  RunResult QueryNoon(std::vector<std::string> words) const {
    words.insert(words.end(), {"--from", "2026-03-01T12:00:00Z", "--to", "2026-03-01T12:02:00Z"});
    return Query(std::move(words));
  }
  std::string Text(const std::vector<std::string>& words) const {
    const RunResult run = QueryNoon(words);
    EXPECT_EQ(run.exit_code, 0) << run.error;
    EXPECT_THAT(run.error, MatchesRegex("(link: http://[^\n]+\n)?")) << "only the link";
    return "\n" + run.out;
  }

  TemporaryFolder folder_;
  ServerProcess server_{folder_.File("data"), {"--retention", "0"}};
};

TEST_F(QueryCommandTest, ServicesAndAttributes) {
  EXPECT_EQ(Query({"services"}).out,
            R"(service  instances  series  last seen             versions  types
cart             1       1  2026-03-01T12:01:00Z  1.4       cpu:nanoseconds
shop             1       1  2026-03-01T12:00:00Z            cpu:nanoseconds
)");
  EXPECT_EQ(Text({"attrs"}), R"(
key              of        values  such as
service.name     resource       2  cart, shop
service.version  resource       1  1.4
thread           sample         2  gc, io
)");
  EXPECT_EQ(Text({"attrs", "thread", "--limit", "1"}), R"(
value
gc
... 1 more (use --limit)
)");
}

TEST_F(QueryCommandTest, Series) {
  const std::vector<std::string> request = {"series", "--by", "service.name", "--step", "1m"};
  EXPECT_EQ(Text(request), R"(
cpu: 2026-03-01T12:00:00Z to 2026-03-01T12:02:00Z, a value for each 60 s
line               smallest  largest  last   over time
service.name=cart  20 ns     30 ns    20 ns  █▅
service.name=shop  0 ns      5 ns     0 ns   █▁
)");
  std::vector<std::string> as_csv = request;
  as_csv.insert(as_csv.end(), {"--format", "csv", "--limit", "1", "-q", "{service.name=\"cart\"}"});
  EXPECT_EQ(Text(as_csv),
            "\ntime,line,value\r\n1772366400000000000,service.name=cart,30\r\n"
            "1772366460000000000,service.name=cart,20\r\n");
}

TEST_F(QueryCommandTest, Traces) {
  EXPECT_EQ(Text({"traces", "--status", "error", "--min-duration", "1ms"}), R"(
start                 duration  spans  errors  trace                             service  name
2026-03-01T12:00:00Z      2 ms      2       1  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  shop     GET /
)");
  EXPECT_EQ(Query({"trace", std::string(32, 'a')}).out,
            R"(trace aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: 2026-03-01T12:00:00Z, 2 ms, 2 spans, 1 error
 start  duration  self  critical  status  span              service  name
  0 ns      2 ms  1 ms  *                 000000000000000a  shop     GET /
500 µs      1 ms  1 ms  *         error   000000000000000b  cart       add
1 log record: flarestack query logs --trace aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
)");
}

TEST_F(QueryCommandTest, LogsCannotSendTerminalCommands) {
  EXPECT_EQ(Text({"logs"}), R"(
time                    severity  service  body
2026-03-01T12:00:00.5Z  ERROR     cart     disk \x1b[31mfull
2026-03-01T12:00:00Z    INFO      cart     loaded
)");
  EXPECT_THAT(Text({"logs", "--limit", "1"}), HasSubstr("... more (use --limit, or --cursor "));
  EXPECT_EQ(Text({"logs", "--text", "/l.aded/", "--format", "ndjson"}), R"(
{"time":1772366400000000000,"severity":"INFO","service":"cart","trace":"","span":"","attributes":"","body":"loaded"}
)");
}

TEST_F(QueryCommandTest, Metrics) {
  EXPECT_EQ(Query({"metrics"}).out,
            R"(name   type   unit   series  services  attributes  description
queue  gauge  items       1  cart
)");
  EXPECT_EQ(Text({"metrics", "queue", "--agg", "max", "--step", "1m"}), R"(
queue (gauge, max): 2026-03-01T12:00:00Z to 2026-03-01T12:02:00Z, a value for each 60 s
line   smallest  largest  last     over time
(all)  2 items   8 items  8 items  ▂█
)");
  EXPECT_EQ(Text({"metrics", "queue", "--step", "1m", "--format", "md"}), R"(
| line | smallest | largest | last | over time |
|---|---|---|---|---|
| (all) | 2 items | 8 items | 8 items | ▂█ |
)");
}

TEST_F(QueryCommandTest, Links) {
  const std::string text = Text({"links", "--fn", "parse", "--type", "cpu"});
  EXPECT_THAT(text, HasSubstr("to"));
  EXPECT_THAT(text, HasSubstr("/api/v1/"));
}

TEST_F(QueryCommandTest, JsonIsTheResponseOfTheServer) {
  EXPECT_EQ(Query({"trace", std::string(32, 'a')}).error,
            "link: " + server_.http() + "/trace/" + std::string(32, 'a') + "\n");
  EXPECT_EQ(Query({"services"}).error, "link: " + server_.http() + "/\n");
  const auto json = nlohmann::ordered_json::parse(
      QueryNoon({"logs", "--severity", "error", "--format", "json"}).out);
  EXPECT_EQ(json.begin().key(), "schema");
  EXPECT_EQ(json["schema"], "flarestack.query.logs/1");
  EXPECT_EQ(json["records"].size(), 1u);
  EXPECT_EQ(json["meta"]["partial"], false);
}

TEST_F(QueryCommandTest, ProfilesBecomeFiles) {
  const std::string path = folder_.File("cart.folded");
  EXPECT_EQ(Text({"profile", "-q", "{service.name=\"cart\"}", "--type", "cpu", "-o", path}), "\n");
  EXPECT_EQ(ReadWhole(path), "main;gc 20\nmain;parse 30\n");
  EXPECT_EQ(Text({"profile", "--to-format", "folded", "-o", "-"}),
            "\nmain;gc 20\nmain;parse 30\nmain;render 5\n");
  const std::string pprof = folder_.File("cart.pb.gz");
  EXPECT_EQ(Text({"profile", "-o", pprof}), "\n");
  EXPECT_EQ(Flarestack({"top", "--format", "csv", "-n", "1", pprof}).exit_code, 0);
  EXPECT_EQ(QueryNoon({"profile", "-o", folder_.File("x.unknown")}).exit_code, 2);
}

TEST_F(QueryCommandTest, ReportsWhyThereIsNoData) {
  const RunResult nothing = QueryNoon({"traces", "--name", "PUT", "--service", "shop"});
  EXPECT_EQ(nothing.exit_code, 3);
  EXPECT_EQ(nothing.out, "");
  EXPECT_EQ(nothing.error, base::StrCat("flarestack: no traces from ", server_.http(),
                                        "\n  excluded by name=PUT\n"));
  const RunResult other_type = QueryNoon({"series", "--type", "wall", "--format", "json"});
  EXPECT_EQ(other_type.exit_code, 3);
  EXPECT_THAT(other_type.out, HasSubstr(R"("empty":{"reason")"));
  EXPECT_THAT(other_type.error, HasSubstr("try: --type with one of cpu:nanoseconds"));
  EXPECT_EQ(Query({"trace", std::string(32, 'b')}).exit_code, 3);
}

TEST_F(QueryCommandTest, ResponsesHaveALinkToTheirPage) {
  const std::string times = "from=1772366400000&to=1772366520000";
  const std::vector<std::pair<std::vector<std::string>, std::string>> expected = {
      {{"series", "--by", "service.name", "--by", "thread", "--filter", "only:main|x y"},
       "/explore?v=1&" + times + "&f=only:main%7Cx+y&by=service.name,thread"},
      {{"traces", "--status", "error"}, "/traces?v=1&" + times + "&status=error"},
      {{"logs", "--text", "loaded"}, "/logs?v=1&" + times + "&text=loaded"},
      {{"metrics", "queue"}, "/charts?v=1&" + times + "&metric=queue"},
      {{"attrs"}, ""},
  };
  for (const auto& [words, link] : expected) {
    const RunResult run = QueryNoon(words);
    EXPECT_EQ(run.exit_code, 0) << words[0];
    EXPECT_EQ(run.error, link.empty() ? "" : "link: " + server_.http() + link + "\n") << words[0];
  }
  const auto json =
      nlohmann::json::parse(Query({"health", "--format", "json"}).out, nullptr, false);
  EXPECT_EQ(json["link"], server_.http() + "/health");
}

TEST_F(QueryCommandTest, WarnsAboutPartialResults) {
  PostJson("/v1/metrics",
           MetricsRequest("cart", {base::StrCat(R"({"name":"other","gauge":{"dataPoints":[)",
                                                R"({"asInt":1,"timeUnixNano":)", kNoon, "}]}}")}));
  const RunResult some = Query({"metrics", "--limit", "1"});
  EXPECT_EQ(some.exit_code, 0);
  EXPECT_THAT(some.error,
              StartsWith("warning: partial result: 1 metrics beyond the limit\nlink: "));
  EXPECT_EQ(Query({"metrics", "--limit", "1", "--strict"}).exit_code, 7);
  EXPECT_EQ(Query({"metrics", "--strict"}).exit_code, 0);
}

TEST_F(QueryCommandTest, RejectsBadQueries) {
  const RunResult unknown = Query({"logs", "--type", "cpu"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.error, HasSubstr("unknown parameter \"type\" here\n  try: known: "));
  EXPECT_EQ(Query({"frobnicate"}).exit_code, 2);
  EXPECT_EQ(Query({}).exit_code, 2);
  EXPECT_EQ(Query({"trace"}).exit_code, 2);
  EXPECT_EQ(Query({"traces", "-q", "{a="}).exit_code, 2);
  const std::string url = server_.http();
  server_.Stop();
  EXPECT_EQ(Flarestack({"query", "services", "--server", url}).exit_code, 6);
}

}  // namespace
}  // namespace flarestack::testing
