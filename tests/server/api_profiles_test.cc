// SPDX-License-Identifier: Apache-2.0
//
// The profile endpoints: sends profiles as text, queries them, and compares text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/compress/compress.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "net/http/http_client.h"
#include "query/flame/flame_container.h"
#include "store/testing/event_text.h"
#include "support/otlp_messages.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using store::testing::MakeBatch;
using store::testing::TextProfile;
using ::testing::HasSubstr;

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kTime = 1'772'366'400 * kSecond;  // 2026-03-01T12:00:00Z
constexpr char kRange[] = "from=2026-03-01T12:00:00Z&to=2026-03-01T13:00:00Z";

// The data of all tests below.
std::vector<TextProfile> Shop() {
  const auto at = [](uint64_t second) { return base::StrCat(" @", kTime + second * kSecond, " "); };
  return {
      {.service = "cart",
       .time = kTime,
       .lines = {"main;serve;parse" + at(1) + "30 thread=io", "main;serve;render" + at(2) + "50",
                 "main;gc" + at(70) + "20 thread=gc link=7"}},
      {.service = "shop", .time = kTime, .lines = {"main;serve;parse" + at(3) + "5"}},
      {.service = "cart",
       .type = "alloc_space",
       .unit = "bytes",
       .time = kTime,
       .lines = {"main;serve;make 4096"}},
  };
}

class ApiProfilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.is_running()) << server_.log();
    ASSERT_EQ(
        Send({.url = server_.otlp_http() + "/v1/profiles", .body = ToProtobuf(MakeBatch(Shop()))})
            .status,
        200);
  }

  // Escapes the characters that a URL must not contain.
  std::string Url(const std::string& request) const {
    std::string url = server_.http() + "/api/v1";
    for (const char c : request)
      url += std::string_view("{}\"^").find(c) == std::string_view::npos
                 ? std::string(1, c)
                 : UrlEncode(std::string(1, c));
    return url;
  }

  // Omits `meta`, which varies.
  nlohmann::ordered_json Json(const std::string& request) {
    const Answer answer = Get(Url(request));
    auto json = nlohmann::ordered_json::parse(answer.body, nullptr, false);
    EXPECT_EQ(answer.status, 200) << request << answer.body;
    EXPECT_TRUE(json.is_object() && json.contains("meta")) << answer.body;
    json.erase("meta");
    return json;
  }
  std::string Fetch(const std::string& request) { return Json(request).dump(); }

  std::string Rejection(const std::string& request, int status = 400) {
    const Answer answer = Get(Url(request));
    EXPECT_EQ(answer.status, status) << request << answer.body;
    auto json = nlohmann::ordered_json::parse(answer.body, nullptr, false);
    EXPECT_TRUE(json.contains("request_id") && json.contains("hint")) << answer.body;
    return json["message"].get<std::string>() + " | " + json["hint"].get<std::string>();
  }

  TemporaryFolder folder_;
  ServerProcess server_{folder_.File("data"), {"--retention", "0"}};
};

TEST_F(ApiProfilesTest, Flame) {
  EXPECT_EQ(Fetch(base::StrCat("/flame?q={service.name=\"cart\"}&type=cpu&", kRange)),
            R"({"type":"cpu","unit":"nanoseconds","total":100,"unfiltered":100,"path":[],)"
            R"("frames":[{"name":""},{"name":"main"},{"name":"serve"},{"name":"render"},)"
            R"({"name":"parse"},{"name":"gc"}],)"
            R"("nodes":{"depth":[0,1,2,3,3,2],"frame":[0,1,2,3,4,5],)"
            R"("self":[[0,0,0,50,30,20]],"folded":{}}})");
  EXPECT_EQ(Json(base::StrCat("/flame?f=only:parse&nodes=2&", kRange))["nodes"].dump(),
            R"({"depth":[0,1,2],"frame":[0,1,2],"self":[[0,0,35]],"folded":{"2":2}})");
  EXPECT_EQ(Json(base::StrCat("/flame?pivot=parse&side=callers&", kRange))["frames"].dump(),
            R"([{"name":""},{"name":"parse"},{"name":"serve"},{"name":"main"}])");
  const auto inverted =
      Json(base::StrCat("/flame?q={service.name=\"cart\"}&type=cpu&side=callers&", kRange));
  EXPECT_EQ(inverted["nodes"]["depth"].dump(), "[0,1,2,3,1,2,3,1,2]");
  EXPECT_EQ(inverted["nodes"]["self"].dump(), "[[0,0,0,50,0,0,30,0,20]]");
}

TEST_F(ApiProfilesTest, FlameAsBytes) {
  net::HttpClient client({});
  net::HttpClientRequest request;
  request.url = Url(base::StrCat("/flame?type=cpu&", kRange));
  request.headers.Set("Accept", std::string(query::kFlameMediaType));
  const auto response = client.Send(request);
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->headers.Get("Content-Type"), query::kFlameMediaType);
  EXPECT_THAT(std::string(response->headers.Get("Flarestack-Meta")),
              HasSubstr("\"partial\":false"));
  const auto flame = query::DecodeFlame(response->body);
  ASSERT_TRUE(flame.ok()) << flame.status();
  EXPECT_EQ(flame->unit, "nanoseconds");
  EXPECT_EQ(flame->nodes.size(), 6u);
}

TEST_F(ApiProfilesTest, SearchCountsFoldedNodes) {
  EXPECT_EQ(Json(base::StrCat("/flame?nodes=2&type=cpu&", kRange))["nodes"]["folded"].dump(),
            R"({"2":4})");
  const nlohmann::ordered_json found = Json(base::StrCat("/search?text=PARSE&type=cpu&", kRange));
  const std::string path = found["rows"][0]["path"];
  EXPECT_EQ(found.dump(),
            R"({"type":"cpu","unit":"nanoseconds","total":105,"matched":35,"call_paths":1,)"
            R"("rows":[{"function":"parse","path":")" +
                path + R"(","depth":3,"total":35}]})");
  EXPECT_EQ(Json(base::StrCat("/flame?type=cpu&root=", path, "&", kRange))["path"].dump(),
            R"(["main","serve"])");
  EXPECT_EQ(Json(base::StrCat("/search?text=main&root=", path, "&", kRange))["matched"], 0);
  EXPECT_THAT(Rejection(base::StrCat("/search?", kRange)), HasSubstr("the search is empty"));
  EXPECT_THAT(Rejection(base::StrCat("/search?text=/(/&", kRange)), HasSubstr("missing"));
}

TEST_F(ApiProfilesTest, ReturnsFunctionsCallersAndLines) {
  EXPECT_EQ(Json(base::StrCat("/top?limit=2&", kRange))["rows"].dump(),
            R"([{"function":"render","file":"","line":0,"module":"","self":50,"total":50},)"
            R"({"function":"parse","file":"","line":0,"module":"","self":35,"total":35}])");
  EXPECT_EQ(Json(base::StrCat("/callers?fn=serve&", kRange))["rows"].dump(),
            R"([{"function":"serve","self":0,"total":85,)"
            R"("callers":[{"function":"main","value":85}],)"
            R"("callees":[{"function":"render","value":50},{"function":"parse","value":35}]}])");
  EXPECT_EQ(Json(base::StrCat("/lines?fn=/^par/&", kRange))["rows"].dump(),
            R"([{"function":"parse","file":"","line":0,"self":35,"total":35}])");
}

TEST_F(ApiProfilesTest, Diff) {
  const auto json = Json(base::StrCat(
      "/diff?q={service.name=\"cart\"}&b.q={service.name=\"shop\"}&type=cpu&norm=none&", kRange));
  EXPECT_EQ(json["before"].dump(), R"({"total":5,"events":1,"seconds":1e-07,"instances":1})");
  EXPECT_EQ(json["nodes"]["self"].dump(), "[[0,0,0,0,5,0],[0,0,0,50,30,20]]");
  EXPECT_EQ(json["rows"][0]["function"], "main");
  EXPECT_EQ(json["rows"][0]["delta"], 95.0);
  EXPECT_EQ(json["explain"][0]["path"].dump(), R"(["main","serve","render"])");
  EXPECT_THAT(Rejection(base::StrCat("/diff?b.q={service.name=\"none\"}&type=cpu&", kRange), 404),
              HasSubstr("the baseline is empty | no data matches {service.name=\"none\"}"));
}

TEST_F(ApiProfilesTest, SeriesAndHeat) {
  EXPECT_EQ(Fetch("/series?by=service.name&step=1m&type=cpu&from=2026-03-01T12:00:00Z"
                  "&to=2026-03-01T12:02:00Z"),
            R"({"type":"cpu","unit":"nanoseconds","gauge":false,"from":"1772366400000000000",)"
            R"("step_ns":60000000000,"observed_ns":120000000000,"line_count":2,"lines":[)"
            R"({"labels":{"service.name":"cart"},"rest":false,"total":100,"values":[80,20]},)"
            R"({"labels":{"service.name":"shop"},"rest":false,"total":5,"values":[5,0]}]})");
  EXPECT_EQ(Fetch("/heat?cell=1s&type=cpu&from=2026-03-01T12:00:00Z&to=2026-03-01T12:00:05Z"
                  "&match=parse"),
            R"({"type":"cpu","unit":"nanoseconds","from":"1772366400000000000",)"
            R"("cell_ns":1000000000,"scale":1,"largest":30,"cells":[0,30,0,5,0],)"
            R"("has_sample_times":true})");
  EXPECT_EQ(Json("/heat?cell=1s&type=alloc_space&from=2026-03-01T12:00:00Z"
                 "&to=2026-03-01T12:00:05Z")["has_sample_times"],
            false);
}

// One profile per minute, whose samples have no timestamps: each profile gets its own step.
TEST_F(ApiProfilesTest, SeriesStepsAreNoShorterThanProfilesWithoutTimes) {
  std::vector<TextProfile> profiles;
  for (uint64_t i = 0; i < 10; ++i) {
    const uint64_t time = kTime + 7200 * kSecond + i * 60 * kSecond;
    profiles.push_back({.service = "py", .type = "wall", .time = time, .lines = {"main 6"}});
    profiles.push_back({.service = "py",
                        .type = "off_cpu",
                        .time = time,
                        .lines = {base::StrCat("main @", time, " 6")}});
  }
  ASSERT_EQ(
      Send({.url = server_.otlp_http() + "/v1/profiles", .body = ToProtobuf(MakeBatch(profiles))})
          .status,
      200);
  const std::string range = "&from=2026-03-01T14:00:00Z&to=2026-03-01T14:10:00Z";
  const auto timeless = Json("/series?type=wall" + range);
  EXPECT_EQ(timeless["step_ns"], 60 * kSecond);
  EXPECT_EQ(timeless["lines"][0]["values"].dump(), "[6,6,6,6,6,6,6,6,6,6]");
  EXPECT_EQ(Json("/series?type=off_cpu" + range)["step_ns"], 5 * kSecond);
  EXPECT_EQ(Json("/series?type=wall&step=10s" + range)["step_ns"], 10 * kSecond);
}

TEST_F(ApiProfilesTest, SamplesAndProfiles) {
  EXPECT_EQ(
      Fetch(base::StrCat("/samples?q={service.name=\"cart\"}&type=cpu&lane=thread.name&", kRange)),
      R"({"type":"cpu","unit":"nanoseconds","begin":"1772366401000000000",)"
      R"("lanes":["[no thread]"],"functions":["main","serve","parse","render","gc"],)"
      R"("function_types":["","","","",""],"function_modules":["","","","",""],)"
      R"("stacks":[[0,1,2],[0,1,3],[0,4]],)"
      R"("events":{"time":[0,1000000000,69000000000],"value":[30,50,20],"lane":[0,0,0],)"
      R"("stack":[0,1,2]},"event_count":3,"timeless_count":0,"next":null})");
  EXPECT_EQ(Json(base::StrCat("/samples?type=alloc_space&", kRange))["timeless_count"], 1);
  const auto page = Json(base::StrCat("/samples?lane=thread&limit=1&type=cpu&", kRange));
  EXPECT_EQ(page["next"], "1772366402000000000");
  const auto profiles = Json(base::StrCat("/profiles?type=alloc_space&", kRange));
  EXPECT_EQ(profiles.dump(),
            R"({"profile_count":1,"profiles":[{"profile_id":"","time":"1772366400000000000",)"
            R"("duration_ns":100,"type":"alloc_space","unit":"bytes","samples":1,"total":4096,)"
            R"("resource":{"service.name":"cart"}}]})");
}

TEST_F(ApiProfilesTest, ServicesAndAttributes) {
  EXPECT_EQ(
      Json("/services")["services"][0].dump(),
      R"({"service":"cart","namespace":"","types":["alloc_space:bytes","cpu:nanoseconds"],)"
      R"("versions":[{"version":"","instances":1,"last_seen":"1772366460000000000"}],"named_by":[],)"
      R"("instances":1,"series":2,"last_seen":"1772366460000000000"})");
  // Only services with samples in the range, rounded to hours.
  EXPECT_EQ(Json(base::StrCat("/services?", kRange))["services"].size(),
            Json("/services")["services"].size());
  for (const char* const range : {"from=2026-03-01T14:00:00Z", "to=2026-03-01T11:00:00Z",
                                  "from=2026-03-01T09:00:00Z&to=2026-03-01T11:00:00Z"}) {
    const auto none = Json(base::StrCat("/services?", range));
    EXPECT_EQ(none["services"].size(), 0u) << range;
    EXPECT_EQ(none["empty"]["reason"], "no service has samples in this time range");
  }
  EXPECT_EQ(Json("/services?from=2026-03-01T11:00:00Z&to=2026-03-01T14:00:00Z")["services"].size(),
            2u);
  EXPECT_EQ(Json(base::StrCat("/attrs?type=cpu&", kRange))["keys"].dump(),
            R"([{"key":"service.name","level":"resource","value_count":2,)"
            R"("values":["cart","shop"]},)"
            R"({"key":"thread","level":"sample","value_count":2,"values":["gc","io"]}])");
  EXPECT_EQ(Json(base::StrCat("/attr-values?key=thread&contains=i&", kRange))["values"].dump(),
            R"(["io"])");
  EXPECT_EQ(Json(base::StrCat("/attr-breakdown?key=thread&topk=1&type=cpu&", kRange)).dump(),
            R"({"type":"cpu","unit":"nanoseconds","total":105,"key":"thread",)"
            R"("rows":[{"value":"","missing":true,"total":55}],)"
            R"("other":{"count":2,"total":50}})");
}

TEST_F(ApiProfilesTest, SamplesOfATrace) {
  const std::string trace =
      base::StrCat("/top?type=cpu&trace=", base::HexEncode(store::testing::TraceId(7)));
  EXPECT_EQ(Json(trace)["total"], 20);
  EXPECT_EQ(Json(trace + "&span=" + base::HexEncode(store::testing::SpanId(7)))["total"], 20);
  EXPECT_EQ(Json(trace + "&span=00000000000000aa")["empty"]["reason"],
            "no samples are tagged with this trace or span");
}

// An exported file contains what the page of the same scope shows.
TEST_F(ApiProfilesTest, ExportsTheScope) {
  const auto folded = [&](const std::string& scope) {
    return Get(Url(base::StrCat("/export?format=folded&type=cpu&", scope))).body;
  };
  EXPECT_EQ(folded(kRange), "main;gc 20\nmain;serve;parse 35\nmain;serve;render 50\n");
  EXPECT_EQ(folded(base::StrCat("f=only:serve&f=hide:render&", kRange)),
            "main;serve 50\nmain;serve;parse 35\n");
  EXPECT_EQ(folded(base::StrCat("q={thread=\"io\"}&f=from:serve&", kRange)), "serve;parse 30\n");
  const std::string trace = "trace=" + base::HexEncode(store::testing::TraceId(7));
  EXPECT_EQ(folded(trace), "main;gc 20\n");
  EXPECT_THAT(Rejection("/export?type=cpu&f=drop:main&" + trace, 404),
              HasSubstr("no profile matches"));
  const Answer otlp =
      Get(Url(base::StrCat("/export?format=otlp-json&type=cpu&f=only:parse&", kRange)));
  EXPECT_EQ(otlp.status, 200);
  EXPECT_THAT(otlp.body, ::testing::Not(HasSubstr("timestampsUnixNano")));
  EXPECT_EQ(Rejection("/export?f=only:parse&detail=samples"),
            "filter steps need merged stacks | omit `detail` or `f`");
  EXPECT_THAT(Rejection("/export?f=nonsense"), HasSubstr("f=nonsense"));
}

TEST_F(ApiProfilesTest, ReportsWhyThereIsNoData) {
  EXPECT_EQ(Json("/flame?type=cpu&from=2026-03-05&to=2026-03-06")["empty"].dump(),
            R"({"reason":"no data in this time range","nearest":"1772366400000000000"})");
  EXPECT_EQ(Json(base::StrCat("/top?type=wall&", kRange))["empty"]["types"].dump(),
            R"(["alloc_space:bytes","cpu:nanoseconds"])");
  EXPECT_EQ(Json(base::StrCat("/top?f=drop:main&type=cpu&", kRange))["empty"]["step"], "drop:main");
}

TEST_F(ApiProfilesTest, RejectsUnknownParameters) {
  EXPECT_THAT(Rejection("/flame?tyep=cpu"),
              HasSubstr("unknown parameter \"tyep\" here | known: q, "));
  EXPECT_THAT(Rejection("/flame?type=cpu&type=wall"),
              HasSubstr("\"type\" is given more than once"));
  EXPECT_THAT(Rejection("/flame?q={a="), HasSubstr("selector"));
  EXPECT_THAT(Rejection("/flame?f=nothing:x"),
              HasSubstr("f=nothing:x: unknown filter \"nothing\""));
  EXPECT_THAT(Rejection("/flame?nodes=0"), HasSubstr("`nodes` must be a number from 1"));
  EXPECT_THAT(Rejection("/flame?root=x"), HasSubstr("11 characters"));
  EXPECT_THAT(Rejection("/flame?span=00000000000000aa"), HasSubstr("also needs `trace`"));
  EXPECT_THAT(Rejection("/series?step=1ms"), HasSubstr("more than 2000 points"));
  EXPECT_THAT(Rejection("/lines"), HasSubstr("`fn` is missing"));
  EXPECT_THAT(Rejection("/flame?from=now&to=now-1h"), HasSubstr("`from` must be before `to`"));
  EXPECT_THAT(Rejection("/nothing", 404), HasSubstr(""));
}

TEST_F(ApiProfilesTest, ETagChangesWithTheData) {
  net::HttpClient client({});
  net::HttpClientRequest request;
  request.url = Url(base::StrCat("/top?", kRange));
  const auto first = client.Send(request);
  ASSERT_TRUE(first.ok());
  const std::string etag(first->headers.Get("ETag"));
  EXPECT_NE(etag, "");
  request.headers.Set("If-None-Match", etag);
  EXPECT_EQ(client.Send(request)->status, 304);
  ASSERT_EQ(Send({.url = server_.otlp_http() + "/v1/profiles",
                  .body = ToProtobuf(OneProfile("new", {"a 1"}))})
                .status,
            200);
  EXPECT_EQ(client.Send(request)->status, 200);
}

TEST_F(ApiProfilesTest, ReportsProgressOnRequest) {
  net::HttpClient client({});
  net::HttpClientRequest request;
  request.url = Url(base::StrCat("/top?", kRange));
  const auto plain = client.Send(request);
  request.headers.Set("Accept", "text/event-stream");
  const auto events = client.Send(request);
  ASSERT_TRUE(plain.ok() && events.ok()) << plain.status() << events.status();
  EXPECT_EQ(events->headers.Get("Content-Type"), "text/event-stream");
  EXPECT_TRUE(events->body.starts_with("event: progress\ndata: {\"parts\":")) << events->body;
  const size_t last = events->body.find("event: answer\ndata: ");
  ASSERT_NE(last, std::string::npos) << events->body;
  const auto answer = nlohmann::json::parse(events->body.substr(last + 20), nullptr, false);
  EXPECT_EQ(answer["rows"], nlohmann::json::parse(plain->body, nullptr, false)["rows"]);
}

TEST_F(ApiProfilesTest, CompressesOnRequest) {
  net::HttpClient client({});
  net::HttpClientRequest request;
  request.url = Url("/openapi.json");
  const auto plain = client.Send(request);
  request.headers.Set("Accept-Encoding", "gzip");
  const auto packed = client.Send(request);
  ASSERT_TRUE(plain.ok() && packed.ok());
  EXPECT_EQ(packed->headers.Get("Content-Encoding"), "gzip");
  EXPECT_EQ(base::Gunzip(packed->body, 1 << 20).value_or(""), plain->body);
  EXPECT_LT(packed->body.size(), plain->body.size() / 4);
}

// Each path of the document is a route, and accepts the documented parameters.
TEST_F(ApiProfilesTest, OpenApiDocumentMatchesTheRoutes) {
  const auto document = nlohmann::json::parse(Get(Url("/openapi.json")).body);
  EXPECT_EQ(document["openapi"], "3.1.0");
  EXPECT_GT(document["paths"].size(), 14u);
  for (const auto& [path, operations] : document["paths"].items()) {
    if (!operations.contains("get"))
      continue;
    std::string target = path;
    for (size_t begin = target.find('{'); begin != std::string::npos; begin = target.find('{'))
      target.replace(begin, target.find('}') - begin + 1, std::string(32, 'a'));
    std::string separator = "?";
    for (const auto& parameter : operations["get"]["parameters"]) {
      if (parameter["in"] == "query") {
        target += separator + parameter["name"].get<std::string>() + "=";
        separator = "&";
      }
    }
    const Answer answer = Get(server_.http() + target);
    EXPECT_THAT(answer.body, Not(HasSubstr("unknown parameter"))) << target;
    EXPECT_NE(answer.status, 405) << target;
    EXPECT_LT(answer.status, 500) << target << answer.body;
  }
}

}  // namespace
}  // namespace flarestack::testing
