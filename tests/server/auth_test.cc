// SPDX-License-Identifier: Apache-2.0
//
// `flarestack auth` writes the file, and a server admits exactly the clients in it: every route,
// with every kind of credentials.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <optional>

#include "base/text/encoding.h"
#include "base/text/text.h"
#include "codec/otlp/profiles/protobuf_writer.h"
#include "net/grpc/grpc_client.h"
#include "net/grpc/grpc_server.h"
#include "net/http/http_router.h"
#include "net/testing/raw_client.h"
#include "nlohmann/json.hpp"
#include "server/ingest/otlp_grpc.h"
#include "server/ingest/otlp_http.h"
#include "store/testing/event_text.h"
#include "support/pseudo_terminal.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using absl::StatusCode;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

constexpr char kThreeLines[] = "flarestack: [^\n]+\n  [^\n]+\n  try: [^\n]+\n";
constexpr char kTrace[] = "5b8efff798038103d269b633813fc60c";

uint64_t Now() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::system_clock::now().time_since_epoch())
                                   .count());
}

class AuthCommandTest : public ::testing::Test {
 protected:
  RunResult Auth(std::vector<std::string> words, const std::string& input = {}) const {
    words.insert(words.begin(), "auth");
    words.insert(words.end(), {"--file", file_});
    return Flarestack(words, {.input = input});
  }
  std::string NewToken(const std::string& name, const std::string& roles) const {
    const RunResult run = Auth({"add", name, "--roles", roles});
    EXPECT_EQ(run.exit_code, 0) << run.error;
    EXPECT_THAT(run.out, MatchesRegex("fst_[0-9a-f]+\n"));
    EXPECT_THAT(run.error, HasSubstr("only once"));
    return run.out.substr(0, run.out.size() - 1);
  }

  TemporaryFolder folder_;
  const std::string file_ = folder_.File("auth");
};

TEST_F(AuthCommandTest, AddsListsAndRemoves) {
  const std::string token = NewToken("agent", "write");
  EXPECT_EQ(Auth({"add", "anna", "--user", "--roles", "read,write", "--tenant", "shop"},
                 "a long password\n")
                .exit_code,
            0);
  EXPECT_EQ(Auth({"add", "agent", "--certificate", "--roles", "write", "--requests-per-second",
                  "2.5", "--bytes-per-second", "10KiB"})
                .exit_code,
            0);
  const std::string text = Auth({"ls"}).out;
  EXPECT_THAT(text, MatchesRegex("kind[^\n]*\ntoken +agent +write [^\n]*\n"
                                 "user +anna +read,write +shop [^\n]*\n"
                                 "certificate +agent +write [^\n]*2.5/s +10 KiB/s\n"));
  const auto json = nlohmann::json::parse(Auth({"ls", "--format", "json"}).out);
  EXPECT_EQ(json["schema"], "flarestack.auth/1");
  ASSERT_EQ(json["entries"].size(), 3u);
  EXPECT_EQ(json["entries"][2]["bytes_per_second"], 10240);

  const RunResult which = Auth({"rm", "agent"});
  EXPECT_EQ(which.exit_code, 2);
  EXPECT_THAT(which.error, HasSubstr("a token and a certificate"));
  EXPECT_EQ(Auth({"rm", "agent", "--token"}).exit_code, 0);
  EXPECT_EQ(Auth({"rm", "agent"}).exit_code, 0);
  EXPECT_THAT(Auth({"ls"}).out, Not(HasSubstr("agent")));

  struct stat info = {};
  ASSERT_EQ(stat(file_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_THAT(ReadWhole(file_), Not(HasSubstr("a long password")));
}

TEST_F(AuthCommandTest, ReportsErrors) {
  NewToken("agent", "write");
  struct Case {
    std::vector<std::string> words;
    std::string input;
    int exit_code;
    const char* says;
  };
  const Case cases[] = {
      {{"add", "agent", "--roles", "read"}, "", 1, "already"},
      {{"add", "b", "--roles", "root"}, "", 2, "root"},
      {{"add", "b"}, "", 2, "--roles"},
      {{"add", "b c", "--roles", "read"}, "", 2, "letters"},
      {{"add", "b", "--user", "--token", "--roles", "read"}, "", 2, "excludes"},
      {{"add", "b", "--user", "--roles", "read"}, "short\n", 2, "8 to"},
      {{"add", "b", "--user", "--roles", "read"}, "first line\nsecond line\n", 2, "one line"},
      {{"add", "b", "--roles", "read", "--requests-per-second", "nan"}, "", 2, "requests"},
      {{"add", "b", "--roles", "read", "--bytes-per-second", "-1"}, "", 2, "number"},
      {{"rm", "nobody"}, "", 1, "no such entry"},
      {{"frobnicate"}, "", 2, ""},
  };
  for (const Case& test : cases) {
    const RunResult run = Auth(test.words, test.input);
    SCOPED_TRACE(::testing::PrintToString(test.words));
    EXPECT_EQ(run.exit_code, test.exit_code);
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.error, MatchesRegex(kThreeLines));
    EXPECT_THAT(run.error, HasSubstr(test.says));
  }
  ASSERT_EQ(chmod(file_.c_str(), 0644), 0);
  EXPECT_THAT(Auth({"ls"}).error, HasSubstr("chmod 600"));
}

TEST_F(AuthCommandTest, DiscardsATokenThatCannotBePrinted) {
  const RunResult run = Flarestack({"auth", "add", "a", "--roles", "read", "--file", file_},
                                   {.output_path = "/dev/full"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(Auth({"ls", "--format", "csv"}).out, Not(HasSubstr("token")));
}

TEST_F(AuthCommandTest, DoesNotEchoAPassword) {
  PseudoTerminal terminal;
  if (!terminal.Open())
    GTEST_SKIP() << "cannot open a pseudo terminal";
  terminal.Start({"auth", "add", "anna", "--user", "--roles", "read", "--file", file_},
                 PseudoTerminal::Shows::kOutputAndErrors);
  ASSERT_TRUE(terminal.WaitFor("password: "));
  terminal.Type("a long password\n");
  ASSERT_TRUE(terminal.WaitFor("repeat password: "));
  terminal.Type("a long password\n");
  ASSERT_TRUE(terminal.WaitFor("\n"));
  EXPECT_EQ(terminal.ExitCode(), 0);
  EXPECT_THAT(terminal.all(), Not(HasSubstr("long")));
  EXPECT_TRUE(terminal.HasEcho());
  EXPECT_THAT(Auth({"ls"}).out, HasSubstr("anna"));
}

TEST_F(AuthCommandTest, InterruptRestoresTheEcho) {
  PseudoTerminal terminal;
  if (!terminal.Open())
    GTEST_SKIP() << "cannot open a pseudo terminal";
  terminal.Start({"auth", "add", "anna", "--user", "--roles", "read", "--file", file_},
                 PseudoTerminal::Shows::kOutputAndErrors);
  ASSERT_TRUE(terminal.WaitFor("password: "));
  EXPECT_FALSE(terminal.HasEcho());
  terminal.Type("\x03");
  EXPECT_EQ(terminal.ExitCode(), -1);
  EXPECT_TRUE(terminal.HasEcho());
  EXPECT_EQ(folder_.Listing(), "");
}

// A server with three tokens and a user. The token with write access sends the data.
class AuthServerTest : public AuthCommandTest {
 protected:
  void SetUp() override {
    reader_ = "Bearer " + NewToken("reader", "read");
    writer_ = "Bearer " + NewToken("writer", "write");
    admin_ = "Bearer " + NewToken("admin", "admin");
    ASSERT_EQ(Auth({"add", "anna", "--user", "--roles", "read"}, "a long password\n").exit_code, 0);
    server_.emplace(folder_.File("data"), std::vector<std::string>{"--auth-file", file_});
    ASSERT_TRUE(server_->is_running()) << server_->log();
    Fill();
  }

  void Fill() {
    const std::string time = base::StrCat(Now());
    const model::Batch batch =
        store::testing::MakeBatch({{.time = Now() - 1'000'000'000, .lines = {"main 5"}}});
    codec::wire::ReverseWriter out(1024);
    codec::otlp::EncodeProtobuf(batch, &out);
    EXPECT_EQ(Send({.url = server_->otlp_http() + "/v1/profiles",
                    .body = std::string(out.view()),
                    .authorization = writer_})
                  .status,
              200);
    EXPECT_EQ(
        Send({.url = server_->otlp_http() + "/v1/traces",
              .content_type = "application/json",
              .body = base::StrCat(R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":")",
                                   kTrace, R"(","spanId":"eee19b7ec3c1b174","name":"GET /",)",
                                   R"("startTimeUnixNano":")", time, R"(","endTimeUnixNano":")",
                                   time, R"("}]}]}]})"),
              .authorization = writer_})
            .status,
        200);
  }

  std::string Basic(std::string_view name, std::string_view password) const {
    return "Basic " + base::Base64Encode(base::StrCat(name, ":", password));
  }

  const std::string wrong_ = "Bearer fst_" + std::string(64, '0');
  std::string reader_;
  std::string writer_;
  std::string admin_;
  std::optional<ServerProcess> server_;
};

TEST_F(AuthServerTest, EveryOtlpHttpRouteNeedsTheWriteRole) {
  const auto routes = server::OtlpHttpRoutes(nullptr);
  ASSERT_EQ(routes.size(), 5u);
  for (const net::HttpRoute& route : routes) {
    SCOPED_TRACE(route.pattern);
    const auto status = [&](const std::string& authorization) {
      return Send({.url = server_->otlp_http() + route.pattern, .authorization = authorization})
          .status;
    };
    EXPECT_EQ(status(""), 401);
    EXPECT_EQ(status(wrong_), 401);
    EXPECT_EQ(status(writer_.substr(7)), 401);
    EXPECT_EQ(status(Basic("anna", "another password")), 401);
    EXPECT_EQ(status(Basic("anna", "a long password")), 403);
    EXPECT_EQ(status(reader_), 403);
    EXPECT_EQ(status(writer_), 200);
    EXPECT_EQ(status(admin_), 200);
  }
}

TEST_F(AuthServerTest, EveryOtlpGrpcMethodNeedsTheWriteRole) {
  const auto methods = server::OtlpGrpcMethods(nullptr);
  ASSERT_EQ(methods.size(), 4u);
  auto client = net::GrpcClient::Create({.target = server_->otlp_grpc()});
  ASSERT_TRUE(client.ok());
  for (const net::GrpcMethod& method : methods) {
    SCOPED_TRACE(method.path);
    const auto code = [&](const std::string& authorization) {
      net::GrpcCallOptions options;
      if (!authorization.empty())
        options.metadata.Add("authorization", authorization);
      return (*client)->Call(method.path, "", options).code;
    };
    EXPECT_EQ(code(""), StatusCode::kUnauthenticated);
    EXPECT_EQ(code(wrong_), StatusCode::kUnauthenticated);
    EXPECT_EQ(code(reader_), StatusCode::kPermissionDenied);
    EXPECT_EQ(code(writer_), StatusCode::kOk);
    EXPECT_EQ(code(admin_), StatusCode::kOk);
  }
}

TEST_F(AuthServerTest, EveryApiRouteNeedsTheReadRole) {
  for (const std::string& path :
       {std::string("/metrics"), std::string("/api/v1/export?format=folded"),
        base::StrCat("/api/v1/trace/", kTrace), std::string("/api/v1/logs"),
        std::string("/api/v1/health")}) {
    SCOPED_TRACE(path);
    const auto status = [&](const std::string& authorization) {
      return Get(server_->http() + path, authorization).status;
    };
    EXPECT_EQ(status(""), 401);
    EXPECT_EQ(status(wrong_), 401);
    EXPECT_EQ(status(writer_), 403);
    EXPECT_EQ(status(reader_), 200);
    EXPECT_EQ(status(admin_), 200);
    EXPECT_EQ(status(Basic("anna", "a long password")), 200);
  }
  // Pages contain no data; the API requests of their script are checked.
  EXPECT_EQ(Get(server_->http() + "/").status, 200);
  EXPECT_EQ(Get(server_->http() + "/explore").status, 200);
  // A load balancer has no token.
  EXPECT_EQ(Get(server_->http() + "/healthz").status, 200);
  EXPECT_EQ(Get(server_->http() + "/readyz").status, 200);
}

// For any method and any spelling of the path.
TEST_F(AuthServerTest, NoMethodBypassesTheCredentials) {
  const auto status = [](uint16_t port, const std::string& method, const std::string& path) {
    return net::Exchange(port, base::StrCat(method, " ", path,
                                            " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                                            "Content-Length: 0\r\n\r\n"))
        .substr(9, 3);
  };
  const uint16_t api = PortOf(server_->http());
  for (const std::string& path :
       {std::string("/metrics"), std::string("/api/v1/export"), std::string("/api/v1/logs"),
        base::StrCat("/api/v1/trace/", kTrace), std::string("/api/v1/../../metrics"),
        std::string("/%6detrics"), std::string("//metrics")}) {
    EXPECT_THAT(status(api, "GET", path), ::testing::AnyOf("401", "404")) << path;
    EXPECT_THAT(status(api, "HEAD", path), ::testing::AnyOf("401", "404")) << path;
    EXPECT_THAT(status(api, "POST", path), ::testing::AnyOf("405", "404")) << path;
  }
  EXPECT_EQ(status(api, "HEAD", "/metrics"), "401");
  EXPECT_EQ(status(api, "GET", "/s/abcdefgh"), "401");
  EXPECT_EQ(status(api, "POST", "/api/v1/shortlinks"), "401");
  EXPECT_EQ(status(api, "POST", "/api/v1/scratch"), "401");
  EXPECT_EQ(status(api, "DELETE", "/api/v1/scratch/abcdefgh"), "401");
  const uint16_t otlp = PortOf(server_->otlp_http());
  for (const net::HttpRoute& route : server::OtlpHttpRoutes(nullptr)) {
    EXPECT_EQ(status(otlp, "POST", route.pattern), "401");
    for (const char* method : {"GET", "HEAD", "PUT", "DELETE", "PATCH"})
      EXPECT_EQ(status(otlp, method, route.pattern), "405") << method;
  }
  // No port serves the routes of another.
  EXPECT_EQ(status(otlp, "GET", "/metrics"), "404");
  EXPECT_EQ(status(api, "POST", "/v1/profiles"), "404");
  const std::string rejected = R"(port="otlp_http",status="401",reason="credentials"} )";
  EXPECT_THAT(Get(server_->http() + "/metrics", reader_).body, HasSubstr(rejected));
}

TEST_F(AuthServerTest, PrintsNoSecret) {
  for (const std::string& authorization : {wrong_, reader_, writer_}) {
    Get(server_->http() + "/metrics", authorization);
    Send({.url = server_->otlp_http() + "/v1/logs", .authorization = authorization});
  }
  const std::string basic = Basic("anna", "a long password");
  const std::string metrics = Get(server_->http() + "/metrics", basic).body;
  EXPECT_EQ(server_->Stop(), 0);
  for (const std::string& text : {server_->log(), metrics}) {
    EXPECT_THAT(text, Not(HasSubstr("fst_")));
    EXPECT_THAT(text, Not(HasSubstr("a long password")));
    EXPECT_THAT(text, Not(HasSubstr(basic.substr(6))));
  }
}

TEST_F(AuthServerTest, SendAcceptsATokenAsAHeader) {
  const std::string file = folder_.Write("a.folded", "main;work 7\n");
  EXPECT_EQ(Flarestack({"send", "--endpoint", server_->otlp_http(), "--header",
                        "authorization=" + writer_, file})
                .exit_code,
            0);
  EXPECT_EQ(Flarestack({"send", "--endpoint", server_->otlp_http(), "--header",
                        "authorization=" + reader_, file})
                .exit_code,
            6);
}

}  // namespace
}  // namespace flarestack::testing
