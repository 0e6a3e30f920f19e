// SPDX-License-Identifier: Apache-2.0
//
// The server from outside: data sent over OTLP can be read back, and invalid requests get the
// errors of the protocol.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "absl/strings/str_split.h"
#include "base/clock.h"
#include "base/compress/compress.h"
#include "base/text/text.h"
#include "codec/otlp/export_response.h"
#include "codec/otlp/profiles/json_writer.h"
#include "codec/pprof/message/reader.h"
#include "model/signal.h"
#include "net/grpc/grpc_client.h"
#include "net/http/http_client.h"
#include "store/testing/event_text.h"
#include "support/otlp_messages.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using codec::otlp::Encoding;
using model::Signal;
using store::testing::MakeBatch;
using ::testing::HasSubstr;

std::string ToJson(const model::Batch& batch) {
  std::string json;
  EXPECT_TRUE(codec::otlp::EncodeJson(batch, [&](std::string_view bytes) {
                json += bytes;
                return absl::OkStatus();
              }).ok());
  return json;
}

class ServeTest : public ::testing::Test {
 protected:
  std::string Folded(const std::string& selector = "") {
    return Get(server_.http() + "/api/v1/export?format=folded&q=" + UrlEncode(selector)).body;
  }
  std::string ProfilesUrl() const { return server_.otlp_http() + "/v1development/profiles"; }

  TemporaryFolder folder_;
  ServerProcess server_{folder_.File("data")};
};

TEST_F(ServeTest, StoresDataInEachEncodingAndCompression) {
  ASSERT_TRUE(server_.is_running()) << server_.log();
  const std::string protobuf = ToProtobuf(OneProfile("cart", {"main;parse 3"}));
  EXPECT_EQ(Send({.url = ProfilesUrl(), .body = protobuf}).status, 200);
  EXPECT_EQ(Send({.url = server_.otlp_http() + "/v1/profiles",
                  .body = base::Gzip(protobuf),
                  .content_encoding = "gzip"})
                .status,
            200);
  EXPECT_EQ(
      Send({.url = ProfilesUrl(), .body = base::Zstd(protobuf), .content_encoding = "zstd"}).status,
      200);
  const Answer json = Send({.url = ProfilesUrl(),
                            .content_type = "application/json",
                            .body = ToJson(OneProfile("cart", {"main;parse 3"}))});
  EXPECT_EQ(json.status, 200);
  EXPECT_EQ(json.content_type, "application/json");
  EXPECT_EQ(json.body, "{}");
  auto client = net::GrpcClient::Create({.target = server_.otlp_grpc()});
  ASSERT_TRUE(client.ok());
  for (const bool gzip : {false, true}) {
    const net::GrpcResult result = (*client)->Call(kProfilesMethod, protobuf, {.gzip = gzip});
    EXPECT_EQ(result.code, absl::StatusCode::kOk) << result.error_message;
    EXPECT_EQ(result.message, "");
  }
  EXPECT_EQ(Folded(), "main;parse 18\n");
  EXPECT_EQ(server_.Stop(), 0);
}

TEST_F(ServeTest, SelectsBySelectorAndType) {
  Send({.url = ProfilesUrl(), .body = ToProtobuf(OneProfile("cart", {"a 1"}))});
  Send({.url = ProfilesUrl(), .body = ToProtobuf(OneProfile("shop", {"b 2"}))});
  EXPECT_EQ(Folded(R"({service_name="shop"})"), "b 2\n");
  EXPECT_EQ(Folded(R"({service.name=~"c.*"})"), "a 1\n");
  const Answer none = Get(server_.http() + "/api/v1/export?format=folded&type=wall");
  EXPECT_EQ(none.status, 404);
  EXPECT_THAT(none.body, HasSubstr("no profile matches"));
  EXPECT_EQ(Get(server_.http() + "/api/v1/export?q=" + UrlEncode("{a=b}")).status, 400);
  EXPECT_EQ(Get(server_.http() + "/api/v1/export?from=later").status, 400);
}

TEST_F(ServeTest, ExportsTheDetailThatSuitsAFormat) {
  for (const char* service : {"cart", "shop"}) {
    Send({.url = ProfilesUrl(), .body = ToProtobuf(OneProfile(service, {"main;a 1", "main;b 2"}))});
    Send({.url = ProfilesUrl(), .body = ToProtobuf(OneProfile(service, {"main;a 3"}))});
  }
  const auto read = [&](const std::string& parameters) {
    const Answer response = Get(server_.http() + "/api/v1/export?" + parameters);
    EXPECT_EQ(response.status, 200) << response.body;
    return response.body;
  };
  // Merged by stack; by stack and series; as received.
  for (const auto& [detail, samples] : std::map<std::string, size_t>{
           {"", 2}, {"&detail=merged", 2}, {"&detail=sums", 4}, {"&detail=samples", 6}}) {
    const auto bytes = base::Gunzip(read("format=pprof" + detail), 1 << 20);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    base::Warnings warnings;
    const auto profile = codec::pprof::DecodeProfile(*bytes, &warnings);
    ASSERT_TRUE(profile.ok()) << profile.status();
    EXPECT_EQ(profile->samples.size(), samples) << detail;
    EXPECT_EQ(std::accumulate(profile->sample_values.begin(), profile->sample_values.end(), 0), 12)
        << detail;
  }
  EXPECT_EQ(read("format=csv"), "stack,cpu/nanoseconds\r\nmain;a,8\r\nmain;b,4\r\n");
  EXPECT_THAT(read("format=speedscope"), HasSubstr("\"weights\":[8,4]"));
  EXPECT_EQ(read("format=otlp"), read("format=otlp&detail=samples"));
  EXPECT_EQ(Get(server_.http() + "/api/v1/export?detail=most").status, 400);
}

// Buffers of an earlier response do not leak into the next, and nothing is compressed twice.
TEST_F(ServeTest, ExportsTheSameBytesAgain) {
  std::string lines;
  for (int i = 0; i < 300; ++i)
    base::StrAppend(&lines, i == 0 ? "" : "\n", "main;f", i, " 1");
  Send({.url = ProfilesUrl(), .body = ToProtobuf(OneProfile("cart", absl::StrSplit(lines, '\n')))});
  const std::string pprof = server_.http() + "/api/v1/export?format=pprof";
  const Answer first = Get(pprof);
  net::HttpClient client({});
  net::HttpClientRequest request;
  request.url = pprof;
  request.headers.Set("Accept-Encoding", "gzip");
  const auto accepting_gzip = client.Send(request);
  ASSERT_TRUE(accepting_gzip.ok());
  EXPECT_EQ(accepting_gzip->headers.Get("Content-Encoding"), "");
  EXPECT_EQ(accepting_gzip->body, first.body);
  Send({.url = ProfilesUrl(), .body = ToProtobuf(OneProfile("shop", {"main;zzz 1"}))});
  EXPECT_NE(Get(pprof).body, first.body);
  EXPECT_EQ(Get(pprof + "&q=" + UrlEncode("{service.name=\"cart\"}")).body, first.body);
}

TEST_F(ServeTest, RejectsResponsesOverTheMemoryLimit) {
  server_.Stop();
  ServerProcess small(folder_.File("small"), {"--memory-limit", "64MiB"});
  ASSERT_TRUE(small.is_running()) << small.log();
  for (int request = 0; request < 10; ++request) {
    std::string line = "main;parse";
    for (uint64_t i = 0; i < 60'000; ++i)
      base::StrAppend(&line, " @", base::NowNanos() - 10'000'000'000 + i);
    ASSERT_EQ(Send({.url = small.otlp_http() + "/v1/profiles",
                    .body = ToProtobuf(OneProfile("cart", {line}))})
                  .status,
              200);
  }
  const Answer all = Get(small.http() + "/api/v1/export?format=otlp");
  EXPECT_EQ(all.status, 429);
  EXPECT_THAT(all.body, HasSubstr("memory"));
  EXPECT_EQ(Get(small.http() + "/api/v1/export?format=folded").body, "main;parse 600000\n");
}

TEST_F(ServeTest, SurvivesAnOrderlyRestart) {
  Send({.url = ProfilesUrl(), .body = ToProtobuf(OneProfile("cart", {"main 5"}))});
  EXPECT_EQ(server_.Stop(), 0);
  const ServerProcess again(folder_.File("data"));
  EXPECT_EQ(Get(again.http() + "/api/v1/export?format=folded").body, "main 5\n");
}

TEST_F(ServeTest, RejectsASecondServerOnItsData) {
  const ServerProcess second(folder_.File("data"));
  EXPECT_FALSE(second.is_running());
  EXPECT_THAT(second.startup_error(), HasSubstr("another process uses the data directory"));
}

TEST_F(ServeTest, RejectsNonLoopbackAddressesByDefault) {
  const ServerProcess open(folder_.File("other"), {"--http", "0.0.0.0:0"});
  EXPECT_FALSE(open.is_running());
  EXPECT_THAT(open.startup_error(), HasSubstr("can be reached from outside"));
  const ServerProcess insecure(folder_.File("other"), {"--http", "0.0.0.0:0", "--insecure"});
  EXPECT_TRUE(insecure.is_running()) << insecure.log();
}

// Invalid requests and the errors that the protocol requires.
TEST_F(ServeTest, RespondsToBadRequestsPerTheProtocol) {
  struct Case {
    const char* name;
    Post post;
    int status;
    const char* says;
  };
  const std::string good = ToProtobuf(OneProfile("cart", {"a 1"}));
  const std::string url = ProfilesUrl();
  const Case cases[] = {
      {"an empty request", {.url = url, .body = ""}, 200, ""},
      {"an empty JSON request",
       {.url = url, .content_type = "application/json", .body = "{}"},
       200,
       "{}"},
      {"bytes that are none", {.url = url, .body = "\xff\xff\xff"}, 400, "byte"},
      {"a cut message", {.url = url, .body = good.substr(0, good.size() / 2)}, 400, ""},
      {"text that is no JSON",
       {.url = url, .content_type = "application/json", .body = "{\"resourceProfiles\":"},
       400,
       "message"},
      {"another content type", {.url = url, .content_type = "text/plain", .body = good}, 415, ""},
      {"no content type", {.url = url, .content_type = "", .body = good}, 415, ""},
      {"a compression unknown", {.url = url, .body = good, .content_encoding = "br"}, 415, ""},
      {"gzip that is none", {.url = url, .body = good, .content_encoding = "gzip"}, 400, ""},
      {"a path unknown", {.url = server_.otlp_http() + "/v2/profiles", .body = good}, 404, ""},
  };
  for (const Case& test : cases) {
    const Answer response = Send(test.post);
    EXPECT_EQ(response.status, test.status) << test.name << ": " << response.body;
    EXPECT_THAT(response.body, HasSubstr(test.says)) << test.name;
    if (response.status >= 400 && test.post.content_type == "application/x-protobuf") {
      const auto status = codec::otlp::DecodeRpcStatus(response.body, Encoding::kProtobuf);
      ASSERT_TRUE(status.ok()) << test.name;
      EXPECT_NE(status->message, "") << test.name;
      EXPECT_EQ(response.content_type, "application/x-protobuf") << test.name;
    }
  }
  EXPECT_EQ(Get(url).status, 405);
}

TEST_F(ServeTest, AcceptsTheGoodItemsOfABadBatch) {
  model::Batch batch = OneProfile("cart", {"good 1", "bad 1"});
  batch.samples[1].stack = {99};
  const Answer response = Send({.url = ProfilesUrl(), .body = ToProtobuf(batch)});
  EXPECT_EQ(response.status, 200);
  const auto partial =
      codec::otlp::DecodeExportResponse(Signal::kProfiles, response.body, Encoding::kProtobuf);
  ASSERT_TRUE(partial.ok());
  EXPECT_EQ(partial->rejected, 0);
  EXPECT_THAT(partial->error_message, HasSubstr("1 of 2 samples rejected"));
  EXPECT_EQ(Folded(), "good 1\n");
  EXPECT_THAT(Get(server_.http() + "/metrics").body,
              HasSubstr("flarestack_otlp_items_rejected_total{signal=\"profiles\",reason="
                        "\"index_out_of_range\"} 1"));
}

TEST_F(ServeTest, StoresTracesAndLogs) {
  const std::string time = base::StrCat(base::NowNanos());
  const std::string trace = "5b8efff798038103d269b633813fc60c";
  EXPECT_EQ(Send({.url = server_.otlp_http() + "/v1/traces",
                  .content_type = "application/json",
                  .body = base::StrCat(R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":")",
                                       trace, R"(","spanId":"eee19b7ec3c1b174","name":"GET /",)",
                                       R"("startTimeUnixNano":")", time, R"(","endTimeUnixNano":")",
                                       time, R"("}]}]}]})")})
                .status,
            200);
  EXPECT_EQ(Send({.url = server_.otlp_http() + "/v1/logs",
                  .content_type = "application/json",
                  .body = base::StrCat(
                      R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":")", time,
                      R"(","traceId":")", trace, R"(","spanId":"eee19b7ec3c1b174",)",
                      R"("severityNumber":17,"body":{"stringValue":"it broke"}},)",
                      R"({"timeUnixNano":")", time, R"(","body":{"stringValue":"other"}}]}]}]})")})
                .status,
            200);
  EXPECT_THAT(Get(server_.http() + "/api/v1/trace/" + trace).body, HasSubstr("GET /"));
  const std::string logs = Get(server_.http() + "/api/v1/logs?trace=" + trace).body;
  EXPECT_THAT(logs, HasSubstr("it broke"));
  EXPECT_THAT(logs, ::testing::Not(HasSubstr("other")));
  EXPECT_THAT(Get(server_.http() + "/api/v1/logs").body, HasSubstr("other"));
  EXPECT_EQ(Get(server_.http() + "/api/v1/trace/00000000000000000000000000000001").status, 404);
  EXPECT_EQ(Get(server_.http() + "/api/v1/trace/zz").status, 400);
}

TEST_F(ServeTest, MovesAbsurdTimes) {
  Send({.url = ProfilesUrl(),
        .body = ToProtobuf(MakeBatch({{.time = 1000, .lines = {"old @1000", "old @1001"}}}))});
  EXPECT_EQ(Folded(), "old 2\n");
  EXPECT_THAT(Get(server_.http() + "/api/v1/export?format=otlp-json").body,
              HasSubstr("flarestack.original_time_unix_nano"));
}

TEST_F(ServeTest, SendsFilesOfAnyFormat) {
  const std::string file = folder_.Write("a.folded", "main;work 7\n");
  const RunResult sent = Flarestack({"send", "--endpoint", server_.otlp_http(), file});
  EXPECT_EQ(sent.exit_code, 0) << sent.error;
  EXPECT_THAT(sent.out, HasSubstr("sent 1 request"));
  const RunResult by_grpc =
      Flarestack({"send", "--now", "--endpoint", "grpc://" + server_.otlp_grpc(), "--repeat", "2",
                  "--compression", "none", file});
  EXPECT_EQ(by_grpc.exit_code, 0) << by_grpc.error;
  EXPECT_EQ(Folded(), "main;work 21\n");
  const RunResult nowhere = Flarestack({"send", "--endpoint", "tcp://x", file});
  EXPECT_EQ(nowhere.exit_code, 2);
}

TEST_F(ServeTest, SendFollowsTheExporterVariables) {
  const std::string file = folder_.Write("a.folded", "main;work 7\n");
  const auto send = [&](const std::vector<std::string>& variables) {
    std::vector<std::string> words = {"/usr/bin/env"};
    words.insert(words.end(), variables.begin(), variables.end());
    words.insert(words.end(), {FLARESTACK_PROGRAM, "send", "--now", file});
    return RunProgram(words);
  };
  const RunResult grpc = send({"OTEL_EXPORTER_OTLP_ENDPOINT=http://" + server_.otlp_grpc(),
                               "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"});
  EXPECT_EQ(grpc.exit_code, 0) << grpc.error;
  const RunResult json = send({"OTEL_EXPORTER_OTLP_ENDPOINT=" + server_.otlp_http() + "/",
                               "OTEL_EXPORTER_OTLP_PROTOCOL=http/json"});
  EXPECT_EQ(json.exit_code, 0) << json.error;
  EXPECT_EQ(Folded(), "main;work 14\n");
  const RunResult elsewhere =
      send({"OTEL_EXPORTER_OTLP_ENDPOINT=" + server_.otlp_http() + "/base"});
  EXPECT_EQ(elsewhere.exit_code, 6);
  EXPECT_THAT(elsewhere.error, HasSubstr("/base/v1development/profiles"));
  const RunResult wrong = send({"OTEL_EXPORTER_OTLP_PROTOCOL=smoke"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.error, HasSubstr("OTEL_EXPORTER_OTLP_PROTOCOL"));
}

TEST_F(ServeTest, RejectsOversizedRequests) {
  const ServerProcess small(folder_.File("small"), {"--max-request-bytes", "10000"});
  ASSERT_TRUE(small.is_running()) << small.log();
  const std::string url = small.otlp_http() + "/v1/profiles";
  EXPECT_EQ(Send({.url = url, .body = std::string(20000, 'x')}).status, 413);
  EXPECT_EQ(
      Send({.url = url, .body = base::Gzip(std::string(1 << 20, '\0')), .content_encoding = "gzip"})
          .status,
      413);
  auto client = net::GrpcClient::Create({.target = small.otlp_grpc()});
  ASSERT_TRUE(client.ok());
  EXPECT_EQ((*client)->Call(kProfilesMethod, std::string(20000, 'x')).code,
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ((*client)->Call(kProfilesMethod, std::string(1 << 20, '\0'), {.gzip = true}).code,
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Get(small.http() + "/healthz").status, 200);
}

}  // namespace
}  // namespace flarestack::testing
