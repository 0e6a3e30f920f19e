// SPDX-License-Identifier: Apache-2.0
//
// Sends requests to every endpoint of a server with data of all signals. Every response matches its
// schema in the OpenAPI document, and every endpoint is covered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/text/encoding.h"
#include "base/text/text.h"
#include "net/auth/credential_hash.h"
#include "net/http/http_client.h"
#include "net/http/http_target.h"
#include "net/testing/raw_client.h"
#include "server/api/endpoints.h"
#include "server/api/testing/response_check.h"
#include "server/server.h"
#include "store/testing/event_text.h"
#include "symbol/testing/module_file.h"

namespace flarestack::server {
namespace {

using api::Json;
using store::testing::TextProfile;

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kTime = 1'772'366'400 * kSecond;  // 2026-03-01T12:00:00Z
constexpr char kRange[] = "from=2026-03-01T11:00:00Z&to=2026-03-01T15:00:00Z";
constexpr char kBuildId[] = "0123456789abcdef";

// Endpoints whose responses have no schema.
const std::map<std::string, std::string>& WithoutSchema() {
  static const auto* const reasons = new std::map<std::string, std::string>{
      {"GET /api/v1/export",
       "a file in another program's format; the tests of the codecs check its content"}};
  return *reasons;
}

std::string TraceId() { return base::HexEncode(store::testing::TraceId(7)); }
std::string SpanId() { return base::HexEncode(store::testing::SpanId(7)); }

// `resource`: "Spans", "Logs", "Metrics".
std::string OtlpJson(std::string_view resource, std::string_view items_name,
                     std::string_view items) {
  return base::StrCat(R"({"resource)", resource, R"(":[{"resource":{"attributes":[)",
                      R"({"key":"service.name","value":{"stringValue":"cart"}}]},"scope)", resource,
                      R"(":[{")", items_name, R"(":[)", items, "]}]}]}");
}

std::string Spans() {
  const std::string ids = base::StrCat(R"("traceId":")", TraceId(), R"(",)");
  return OtlpJson(
      "Spans", "spans",
      base::StrCat("{", ids, R"("spanId":")", SpanId(),
                   R"(","name":"GET /cart","kind":2,"startTimeUnixNano":")", kTime,
                   R"(","endTimeUnixNano":")", kTime + 100'000'000,
                   R"(","events":[{"timeUnixNano":")", kTime + 5,
                   R"(","name":"miss"}],"links":[{"traceId":")", std::string(32, 'b'),
                   R"(","spanId":")", std::string(16, 'c'),
                   R"("}],"attributes":[{"key":"n","value":{"intValue":"5"}}]},{)", ids,
                   R"("spanId":"00000000000000aa","parentSpanId":")", SpanId(),
                   R"(","name":"read","startTimeUnixNano":")", kTime + 1000,
                   R"(","endTimeUnixNano":")", kTime + 2000, R"(","status":{"code":2}})"));
}

std::string Logs() {
  return OtlpJson(
      "Logs", "logRecords",
      base::StrCat(R"({"timeUnixNano":")", kTime + 1000, R"(","severityNumber":17,"traceId":")",
                   TraceId(), R"(","spanId":")", SpanId(),
                   R"(","eventName":"sale","body":{"stringValue":"sold out"}},{"timeUnixNano":")",
                   kTime + 2000, R"("})"));
}

std::string Metrics() {
  return OtlpJson(
      "Metrics", "metrics",
      base::StrCat(R"({"name":"latency","unit":"s","gauge":{"dataPoints":[{"timeUnixNano":")",
                   kTime + kSecond, R"(","asDouble":0.1,"attributes":[{"key":"code","value":)",
                   R"({"stringValue":"200"}}],"exemplars":[{"timeUnixNano":")", kTime + kSecond,
                   R"(","asDouble":0.1,"traceId":")", TraceId(), R"(","spanId":")", SpanId(),
                   R"("}]}]}})"));
}

// Two versions of one hour each; the second spends half of its time in a new function.
std::vector<TextProfile> Versions() {
  TextProfile before = {
      .service = "shop", .version = "1.4.1", .period = 10'000'000, .time = kTime, .lines = {}};
  TextProfile after = before;
  after.version = "1.4.2";
  after.time += 3600 * kSecond;
  for (uint64_t i = 0; i < 400; ++i) {
    const uint64_t time = kTime + i * kSecond;
    before.lines.push_back(base::StrCat("main;work @", time, " 10000000"));
    after.lines.push_back(base::StrCat(i % 2 == 0 ? "main;work @" : "main;regex @",
                                       time + 3600 * kSecond, " 10000000"));
  }
  return {before, after};
}

// A sample at an address of a binary, and one of a function with a file and lines.
std::string NativeProfile() {
  return base::StrCat(
      R"({"resourceProfiles":[{"resource":{"attributes":[{"key":"service.name","value":)",
      R"({"stringValue":"native"}}]},"scopeProfiles":[{"profiles":[{"sampleType":)",
      R"({"typeStrindex":1,"unitStrindex":2},"timeUnixNano":")", kTime,
      R"(","durationNano":"1000000000","samples":[{"stackIndex":1,"values":["7"]},)",
      R"({"stackIndex":2,"values":["3"]}]}]}]}],"dictionary":{"mappingTable":[{},)",
      R"({"filenameStrindex":3,"attributeIndices":[1]}],"locationTable":[{},)",
      R"({"mappingIndex":1,"address":"4096"},{"mappingIndex":1,"address":"8192",)",
      R"("lines":[{"functionIndex":1,"line":"14"}]}],"functionTable":[{},{"nameStrindex":5,)",
      R"("filenameStrindex":6,"startLine":"12"}],"linkTable":[{}],"stringTable":["","cpu",)",
      R"("nanoseconds","/srv/shop","process.executable.build_id.gnu","sum","sum.cc"],)",
      R"("attributeTable":[{},{"keyStrindex":4,"value":{"stringValue":")",
      base::HexEncode(kBuildId), R"("}}],"stackTable":[{},{"locationIndices":[1]},)",
      R"({"locationIndices":[2]}]}})");
}

class ResponsesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "responses_XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
    ServerOptions options;
    options.data_dir = folder_ + "/data";
    options.otlp_grpc = options.otlp_http = options.http = {"127.0.0.1", 0};
    options.sync_each_commit = false;
    options.symbols.uses_host_files = false;
    options.symbols.worker.program = "/bin/false";  // this program is a test and cannot be a worker
    options.guide = {.title = "Tour", .steps = {{.title = "One", .text = "Look", .path = "/"}}};
    auto server = Server::Start(options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    SendData();
  }
  void TearDown() override {
    server_.reset();
    std::filesystem::remove_all(folder_);
  }

  void SendData() {
    std::vector<TextProfile> profiles = Versions();
    const std::string at = base::StrCat(" @", kTime + 10'000'000);
    profiles.push_back({.service = "cart",
                        .time = kTime,
                        .lines = {"main;serve;parse" + at + " 20000000 link=7 thread=io",
                                  "main;serve;render" + at + " 30000000"}});
    profiles.push_back({.service = "cart",
                        .type = "offcpu",
                        .time = kTime,
                        .lines = {"main;serve;read" + at + " 30000000 link=7"}});
    model::Batch batch = store::testing::MakeBatch(profiles);
    ASSERT_TRUE(server_->IngestLocal(&batch).ok());
    for (const auto& [path, body] : {std::pair("/v1/traces", Spans()),
                                     {"/v1/logs", Logs()},
                                     {"/v1/metrics", Metrics()},
                                     {"/v1development/profiles", NativeProfile()}}) {
      net::HttpClientRequest request = {.method = "POST", .url = {}, .headers = {}, .body = body};
      request.url = base::StrCat("http://", net::ToString(server_->otlp_http()), path);
      request.headers.Set("Content-Type", "application/json");
      const auto response = client_.Send(request);
      ASSERT_TRUE(response.ok()) << response.status();
      ASSERT_EQ(response->status, 200) << path << response->body;
    }
  }

  struct ExpectedExchange {
    std::string method = "GET";
    std::string path;
    std::string body = {};
    std::string accept = {};
    int status = 200;
  };
  std::string Send(const ExpectedExchange& exchange) {
    net::HttpClientRequest request;
    request.method = exchange.method;
    request.url = base::StrCat("http://", net::ToString(server_->http()), exchange.path);
    request.body = exchange.body;
    request.timeout = std::chrono::minutes(2);
    if (!exchange.accept.empty())
      request.headers.Set("Accept", exchange.accept);
    const auto response = client_.Send(request);
    EXPECT_TRUE(response.ok()) << exchange.path << response.status();
    if (!response.ok())
      return "";
    Check(exchange, *response);
    return response->body;
  }
  void Check(const ExpectedExchange& exchange, const net::HttpResponse& response) {
    EXPECT_EQ(response.status, exchange.status) << exchange.path << response.body;
    const std::string_view type = response.headers.Get("Content-Type");
    EXPECT_EQ(api::testing::CheckExchange({.method = exchange.method,
                                           .path = exchange.path,
                                           .status = response.status,
                                           .content_type = type,
                                           .body = response.body}),
              "")
        << exchange.method << " " << exchange.path << "\n"
        << response.body.substr(0, 2000);
    const api::Endpoint* const endpoint =
        api::testing::FindEndpoint(exchange.method, exchange.path);
    if (endpoint != nullptr && response.status == endpoint->status && type == "application/json")
      checked_.insert(base::StrCat(endpoint->method, " ", endpoint->prefix, endpoint->path));
  }
  Json Get(const std::string& path, int status = 200) {
    return Json::parse(Send({.path = "/api/v1" + path, .status = status}), nullptr, false);
  }
  // Expects a non-empty list of this name.
  void GetSome(const std::string& path, const std::string& list) {
    EXPECT_FALSE(Get(path)[list].empty()) << path;
  }

  std::string folder_;
  std::unique_ptr<Server> server_;
  net::HttpClient client_{{}};
  std::set<std::string> checked_;  // "GET /api/v1/top"

  void AskAboutProfiles();
  void AskAboutSignals();
  void AskAboutServer();
  void UseScratchAndLinks();
  void UseSymbols();
};

void ResponsesTest::AskAboutProfiles() {
  const std::string cpu = base::StrCat("type=cpu&", kRange);
  const std::string cart = "&q=" + net::PercentEncode(R"({service.name="cart"})");
  const std::string native = "&q=" + net::PercentEncode(R"({service.name="native"})");
  GetSome("/flame?nodes=3&" + cpu, "frames");
  GetSome("/flame?" + cpu + native, "frames");
  GetSome("/search?text=parse&" + cpu, "rows");
  GetSome("/top?" + cpu, "rows");
  GetSome("/callers?fn=serve&" + cpu, "rows");
  GetSome("/lines?fn=sum&" + cpu + native, "rows");
  GetSome("/diff?norm=none&b.type=offcpu&" + cpu + cart, "rows");
  GetSome("/series?by=service.name&topk=1&" + cpu, "lines");
  GetSome("/heat?cell=1s&" + cpu, "cells");
  GetSome("/samples?limit=1&" + cpu, "stacks");
  GetSome("/profiles?" + cpu, "profiles");
  GetSome("/services", "services");
  GetSome("/attrs?" + cpu, "keys");
  GetSome("/attr-values?key=service.name&" + cpu, "values");
  GetSome("/attr-breakdown?key=thread&topk=1&" + cpu, "rows");
  const std::string shop = cpu + "&q=" + net::PercentEncode(R"({service.name="shop"})");
  GetSome("/deployments?" + shop, "versions");
  GetSome("/regressions?" + shop, "rows");
  GetSome("/links?trace=" + TraceId() + "&span=" + SpanId(), "links");
  Get("/source?file=sum.cc");
  for (const char* const path : {"/flame?", "/heat?cell=1s&"}) {
    const char* const type = path[1] == 'f' ? "flame" : "heat";
    Send({.path = base::StrCat("/api/v1", path, cpu),
          .accept = base::StrCat("application/vnd.flarestack.", type, ".v1")});
  }
  Send({.path = "/api/v1/top?" + cpu, .accept = "text/event-stream"});
  for (const char* const format :
       {"otlp", "otlp-json", "pprof", "folded", "speedscope", "svg", "csv"})
    Send({.path = base::StrCat("/api/v1/export?format=", format, "&", cpu)});
  // No data: the response has the reason.
  const std::string none = "from=2026-03-05&to=2026-03-06";
  for (const char* const path :
       {"/flame?", "/top?type=wall&", "/series?", "/samples?", "/profiles?", "/deployments?",
        "/links?q=%7Ba%3D%22b%22%7D&", "/services?"})
    EXPECT_TRUE(Get(path + none).contains("empty")) << path;
}

void ResponsesTest::AskAboutSignals() {
  const std::string range = kRange;
  GetSome("/traces?" + range, "traces");
  GetSome("/trace/" + TraceId(), "samples");
  GetSome("/trace/" + TraceId() + "?format=otlp", "resourceSpans");
  GetSome("/logs?limit=1&" + range, "records");
  GetSome("/logs?" + range, "records");
  GetSome("/logs?format=otlp&" + range, "resourceLogs");
  GetSome("/logs/volume?facets=5&" + range, "lines");
  GetSome("/metrics", "metrics");
  GetSome("/metrics/query?name=latency&by=code&" + range, "lines");
  const std::string none = "from=2026-03-05&to=2026-03-06";
  for (const char* const path : {"/traces?", "/logs?", "/metrics/query?name=latency&"})
    EXPECT_TRUE(Get(path + none).contains("empty")) << path;
  Get("/trace/xyz", 400);
  Get("/trace/" + std::string(32, 'e'), 404);
  Get("/traces?nothing=1", 400);
}

void ResponsesTest::AskAboutServer() {
  GetSome("/health", "senders");
  GetSome("/guide", "steps");
  GetSome("/openapi.json", "paths");
}

void ResponsesTest::UseScratchAndLinks() {
  const std::string made =
      Send({.method = "POST", .path = "/api/v1/scratch", .body = "main;a 1\n", .status = 201});
  const std::string upload = "/scratch/" + Json::parse(made, nullptr, false).value("id", "");
  Get(upload);
  Send({.method = "DELETE", .path = "/api/v1" + upload});
  Send({.method = "DELETE", .path = "/api/v1" + upload, .status = 404});
  const std::string link = Send({.method = "POST",
                                 .path = "/api/v1/shortlinks",
                                 .body = R"({"url":"/explore"})",
                                 .status = 201});
  const std::string id = Json::parse(link, nullptr, false).value("id", "");
  Get("/shortlinks/" + id);
  const std::string reply = net::Exchange(
      server_->http().port,
      base::StrCat("GET /s/", id, " HTTP/1.1\r\nHost: localhost", "\r\nConnection: close\r\n\r\n"));
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 302 ")) << reply;
  net::HttpResponse redirect = {.status = 302, .headers = {}, .body = {}};
  redirect.headers.Set("Content-Type", "application/json");
  redirect.body = reply.substr(std::min(reply.size(), reply.find("\r\n\r\n") + 4));
  Check({.path = "/s/" + id, .status = 302}, redirect);
}

void ResponsesTest::UseSymbols() {
  GetSome(base::StrCat("/symbols/health?type=cpu&", kRange), "modules");
  const std::string file = symbol::testing::MakeModuleFile({.gnu_id_bytes = kBuildId});
  const std::string path = "/api/v1/symbols/" + base::HexEncode(kBuildId);
  const std::string whole = base::StrCat(
      path, "?name=shop&sha256=", base::HexEncode(net::Sha256(file)), "&total=", file.size());
  Send({.method = "PUT", .path = whole, .body = file.substr(0, 10)});
  Send({.method = "PUT", .path = whole + "&offset=10", .body = file.substr(10)});
  GetSome("/symbols", "files");
  GetSome("/symbols/" + base::HexEncode(kBuildId), "files");
  Send({.method = "DELETE", .path = path});
  Send({.path = "/api/v1/symbols/x%20y", .status = 400});
}

TEST_F(ResponsesTest, EveryEndpointRespondsAsTheDocumentSays) {
  AskAboutProfiles();
  AskAboutSignals();
  AskAboutServer();
  UseScratchAndLinks();
  UseSymbols();
  std::set<std::string> expected;
  for (const api::Endpoint& endpoint : api::Endpoints()) {
    const std::string name = base::StrCat(endpoint.method, " ", endpoint.prefix, endpoint.path);
    if (!WithoutSchema().contains(name))
      expected.insert(name);
  }
  for (const auto& [name, reason] : WithoutSchema())
    checked_.erase(name);
  EXPECT_EQ(checked_, expected) << "add requests for new endpoints here";
}

}  // namespace
}  // namespace flarestack::server
