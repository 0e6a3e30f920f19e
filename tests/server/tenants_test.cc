// SPDX-License-Identifier: Apache-2.0
//
// Tenants from outside: only the tenant that sent data can read it, over every port and route.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/text/text.h"
#include "codec/otlp/profiles/protobuf_writer.h"
#include "net/grpc/grpc_client.h"
#include "net/testing/raw_client.h"
#include "store/testing/event_text.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using absl::StatusCode;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kTrace[] = "5b8efff798038103d269b633813fc60c";
constexpr char kProfilesMethod[] =
    "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export";

uint64_t Now() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::system_clock::now().time_since_epoch())
                                   .count());
}

std::string Profile(const std::string& line) {
  codec::wire::ReverseWriter out(1024);
  codec::otlp::EncodeProtobuf(
      store::testing::MakeBatch(
          {{.service = "cart", .time = Now() - 1'000'000'000, .lines = {line}}}),
      &out);
  return std::string(out.view());
}

// The same ids and service for every tenant; only the text differs.
std::string TraceJson(const std::string& text) {
  const std::string time = base::StrCat("\"", Now(), "\"");
  return base::StrCat(R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":")", kTrace,
                      R"(","spanId":"eee19b7ec3c1b174","name":")", text,
                      R"(","startTimeUnixNano":)", time, R"(,"endTimeUnixNano":)", time, "}]}]}]}");
}
std::string LogJson(const std::string& text) {
  return base::StrCat(R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":")", Now(),
                      R"(","traceId":")", kTrace, R"(","spanId":"eee19b7ec3c1b174",)",
                      R"("body":{"stringValue":")", text, "\"}}]}]}]}");
}
std::string MetricJson() {
  return base::StrCat(R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"heat",)",
                      R"("gauge":{"dataPoints":[{"timeUnixNano":")", Now(),
                      R"(","asInt":"1"}]}}]}]}]})");
}

class TenantsTest : public ::testing::Test {
 protected:
  std::vector<std::string> Flags(std::vector<std::string> more = {}) {
    more.push_back("--tenants");
    return more;
  }
  void Start(std::vector<std::string> more = {}) {
    server_.emplace(folder_.File("data"), Flags(std::move(more)));
    ASSERT_TRUE(server_->is_running()) << server_->log();
  }

  Answer PostJson(const std::string& path, const std::string& body,
                  const std::optional<std::string>& tenant, const std::string& authorization = {}) {
    return Send({.url = server_->otlp_http() + path,
                 .content_type = "application/json",
                 .body = body,
                 .authorization = authorization,
                 .tenant = tenant});
  }
  Answer Read(const std::string& path, const std::optional<std::string>& tenant,
              const std::string& authorization = {}) {
    return Get(server_->http() + path, authorization, tenant);
  }
  net::GrpcResult Call(const std::string& body, const std::optional<std::string>& tenant) {
    auto client = net::GrpcClient::Create({.target = server_->otlp_grpc()});
    net::GrpcCallOptions options;
    if (tenant.has_value())
      options.metadata.Add("x-scope-orgid", *tenant);
    return (*client)->Call(kProfilesMethod, body, options);
  }

  // Everything a tenant can read, over every route.
  std::string Everything(const std::optional<std::string>& tenant) {
    return base::StrCat(Read("/api/v1/export?format=folded", tenant).body,
                        Read("/api/v1/export?format=otlp-json", tenant).body,
                        Read(std::string("/api/v1/trace/") + kTrace, tenant).body,
                        Read("/api/v1/logs", tenant).body,
                        Read(std::string("/api/v1/logs?trace=") + kTrace, tenant).body);
  }
  void SendEverything(const std::string& tenant) {
    EXPECT_EQ(Send({.url = server_->otlp_http() + "/v1development/profiles",
                    .body = Profile("http_of_" + tenant + " 1"),
                    .tenant = tenant})
                  .status,
              200);
    EXPECT_EQ(Call(Profile("grpc_of_" + tenant + " 1"), tenant).code, StatusCode::kOk);
    EXPECT_EQ(PostJson("/v1/traces", TraceJson("span_of_" + tenant), tenant).status, 200);
    EXPECT_EQ(PostJson("/v1/logs", LogJson("log_of_" + tenant), tenant).status, 200);
    EXPECT_EQ(PostJson("/v1/metrics", MetricJson(), tenant).status, 200);
  }
  void ExpectOnlyItsOwn(const std::string& tenant, const std::string& other) {
    const std::string all = Everything(tenant);
    for (const char* kind : {"http_of_", "grpc_of_", "span_of_", "log_of_"})
      EXPECT_THAT(all, AllOf(HasSubstr(kind + tenant), Not(HasSubstr(kind + other))));
  }

  TemporaryFolder folder_;
  std::optional<ServerProcess> server_;
};

TEST_F(TenantsTest, SeparatesTenantsAfterARestartToo) {
  Start();
  SendEverything("red");
  SendEverything("blue");
  ExpectOnlyItsOwn("red", "blue");
  ExpectOnlyItsOwn("blue", "red");
  EXPECT_THAT(Everything("green"), Not(HasSubstr("_of_")));
  EXPECT_EQ(server_->Stop(), 0);
  Start();
  ExpectOnlyItsOwn("red", "blue");
  ExpectOnlyItsOwn("blue", "red");
  EXPECT_THAT(Read("/metrics", std::nullopt).body,
              AllOf(HasSubstr("flarestack_store_disk_bytes{tenant=\"blue\"} "),
                    HasSubstr("flarestack_store_disk_bytes{tenant=\"red\"} "),
                    HasSubstr("flarestack_tenants 2\n")));
  EXPECT_EQ(Read("/readyz", std::nullopt).status, 200);
}

TEST_F(TenantsTest, ReadsAndRejectedRequestsCreateNoTenant) {
  Start();
  EXPECT_EQ(Read("/api/v1/export?format=folded", "green").status, 404);
  EXPECT_EQ(Read(std::string("/api/v1/trace/") + kTrace, "green").status, 404);
  EXPECT_EQ(Read("/api/v1/logs?format=otlp", "green").body, "{}");
  EXPECT_EQ(PostJson("/v1/traces", "{\"resourceSpans\":", "green").status, 400);
  EXPECT_EQ(PostJson("/v1/traces", "{}", "green").status, 200);
  EXPECT_FALSE(std::filesystem::exists(folder_.File("data") + "/tenants/green"));
}

TEST_F(TenantsTest, RequiresTheHeader) {
  Start();
  const Answer write = PostJson("/v1/traces", TraceJson("x"), std::nullopt);
  EXPECT_EQ(write.status, 401);
  EXPECT_THAT(write.body, HasSubstr("X-Scope-OrgID"));
  for (const std::string& path :
       {std::string("/api/v1/export"), std::string("/api/v1/trace/") + kTrace,
        std::string("/api/v1/logs")}) {
    const Answer read = Read(path, std::nullopt);
    EXPECT_EQ(read.status, 401) << path;
    EXPECT_THAT(read.body, HasSubstr("X-Scope-OrgID")) << path;
  }
  const net::GrpcResult call = Call(Profile("a 1"), std::nullopt);
  EXPECT_EQ(call.code, StatusCode::kUnauthenticated);
  EXPECT_THAT(call.error_message, HasSubstr("X-Scope-OrgID"));
}

TEST_F(TenantsTest, RejectsBadNames) {
  Start();
  for (const std::string& name :
       {std::string("../x"), std::string(".."), std::string("."), std::string("a/b"),
        std::string("a b"), std::string("a\tb"), std::string(151, 'x'), std::string("a|b")}) {
    EXPECT_EQ(PostJson("/v1/traces", TraceJson("x"), name).status, 400) << name;
    EXPECT_EQ(Read("/api/v1/logs", name).status, 400) << name;
  }
  for (const std::string& name : {std::string("../x"), std::string(151, 'x'), std::string()})
    EXPECT_EQ(Call(Profile("a 1"), name).code, StatusCode::kInvalidArgument) << name;
  EXPECT_FALSE(std::filesystem::exists(folder_.File("data") + "/x"));
  EXPECT_EQ(PostJson("/v1/traces", TraceJson("x"), std::string(150, 'x')).status, 200);
  EXPECT_EQ(PostJson("/v1/traces", TraceJson("x"), "!-_.*'()").status, 200);
}

// Headers that no client library sends.
TEST_F(TenantsTest, RejectsBadHeaders) {
  Start();
  const auto port =
      static_cast<uint16_t>(std::stoi(server_->http().substr(server_->http().rfind(':') + 1)));
  using namespace std::string_literals;
  for (const std::string& headers :
       {"X-Scope-OrgID:\r\n"s, "X-Scope-OrgID: \x01\r\n"s, "X-Scope-OrgID: a\0b\r\n"s,
        "X-Scope-OrgID: \xff\r\n"s, "X-Scope-OrgID: a\r\nx-scope-orgid: b\r\n"s}) {
    EXPECT_THAT(
        net::Exchange(port, "GET /api/v1/logs HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" +
                                headers + "\r\n"),
        ::testing::StartsWith("HTTP/1.1 400 "))
        << headers;
  }
}

TEST_F(TenantsTest, RejectsTenantsOverTheLimit) {
  Start({"--max-tenants", "2"});
  EXPECT_EQ(PostJson("/v1/logs", LogJson("x"), "a").status, 200);
  EXPECT_EQ(PostJson("/v1/logs", LogJson("x"), "b").status, 200);
  EXPECT_EQ(PostJson("/v1/logs", LogJson("x"), "c").status, 429);
  EXPECT_EQ(Call(Profile("a 1"), "c").code, StatusCode::kResourceExhausted);
  EXPECT_EQ(PostJson("/v1/logs", LogJson("y"), "a").status, 200);
  EXPECT_FALSE(std::filesystem::exists(folder_.File("data") + "/tenants/c"));
}

TEST_F(TenantsTest, AcceptsTheFirstDataOfManyTenantsConcurrently) {
  Start({"--max-tenants", "3"});
  std::vector<std::thread> senders;
  std::vector<int> statuses(12);
  for (size_t i = 0; i < statuses.size(); ++i) {
    senders.emplace_back([&, i] {
      statuses[i] = PostJson("/v1/logs", LogJson(base::StrCat("log", i)),
                             std::string(1, static_cast<char>('a' + i % 3)))
                        .status;
    });
  }
  for (std::thread& sender : senders)
    sender.join();
  EXPECT_THAT(statuses, ::testing::Each(200));
  for (size_t i = 0; i < statuses.size(); ++i) {
    EXPECT_THAT(Read("/api/v1/logs", std::string(1, static_cast<char>('a' + i % 3))).body,
                HasSubstr(base::StrCat("log", i, "\"")));
  }
}

TEST_F(TenantsTest, BindsCredentialsToTenants) {
  const std::string file = folder_.File("auth");
  const auto token = [&](const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> words = {"auth", "add", name, "--file", file, "--roles", "read,write"};
    words.insert(words.end(), more.begin(), more.end());
    const RunResult run = Flarestack(words);
    EXPECT_EQ(run.exit_code, 0) << run.error;
    return "Bearer " + run.out.substr(0, run.out.find('\n'));
  };
  const std::string one = token("one", {"--tenant", "red"});
  const std::string two = token("two", {"--tenant", "red", "--tenant", "blue"});
  const std::string all = token("all", {});
  EXPECT_EQ(
      Flarestack({"auth", "add", "bad", "--file", file, "--roles", "read", "--tenant", "../x"})
          .exit_code,
      2);
  EXPECT_THAT(Flarestack({"auth", "ls", "--file", file}).out, HasSubstr("red,blue"));
  Start({"--auth-file", file});

  EXPECT_EQ(PostJson("/v1/logs", LogJson("red1"), "red", all).status, 200);
  EXPECT_EQ(PostJson("/v1/logs", LogJson("green1"), "green", all).status, 200);
  EXPECT_EQ(PostJson("/v1/logs", LogJson("red2"), std::nullopt, one).status, 200);
  EXPECT_THAT(Read("/api/v1/logs", std::nullopt, one).body,
              AllOf(HasSubstr("red1"), HasSubstr("red2"), Not(HasSubstr("green1"))));
  EXPECT_EQ(Read("/api/v1/logs", "red", one).status, 200);
  for (const std::string& bound : {one, two}) {
    const Answer denied = Read("/api/v1/logs", "green", bound);
    EXPECT_EQ(denied.status, 403);
    EXPECT_THAT(denied.body, Not(HasSubstr("green1")));
    EXPECT_EQ(PostJson("/v1/logs", LogJson("x"), "green", bound).status, 403);
    EXPECT_THAT(Read("/metrics", std::nullopt, bound).body,
                AllOf(HasSubstr("{tenant=\"red\"}"), Not(HasSubstr("green"))));
  }
  EXPECT_EQ(Read("/api/v1/logs", "blue", two).status, 200);
  EXPECT_EQ(Read("/api/v1/logs", std::nullopt, two).status, 401);
  EXPECT_EQ(Read("/api/v1/logs", std::nullopt, all).status, 401);
}

TEST_F(TenantsTest, IgnoresTheHeaderWhenOff) {
  const ServerProcess server(folder_.File("data"));
  ASSERT_TRUE(server.is_running()) << server.log();
  EXPECT_EQ(Send({.url = server.otlp_http() + "/v1/logs",
                  .content_type = "application/json",
                  .body = LogJson("hello"),
                  .tenant = "../x"})
                .status,
            200);
  EXPECT_THAT(Get(server.http() + "/api/v1/logs").body, HasSubstr("hello"));
  EXPECT_THAT(Get(server.http() + "/metrics").body, Not(HasSubstr("tenant")));
}

TEST_F(TenantsTest, RejectsADirectoryOfTheOtherMode) {
  { const ServerProcess off(folder_.File("off")); }
  const ServerProcess on(folder_.File("off"), {"--tenants"});
  EXPECT_FALSE(on.is_running());
  EXPECT_THAT(on.startup_error(), HasSubstr("was used without --tenants"));

  Start();
  EXPECT_EQ(PostJson("/v1/logs", LogJson("x"), "a").status, 200);
  const ServerProcess second(folder_.File("data"), {"--tenants"});
  EXPECT_FALSE(second.is_running());
  EXPECT_THAT(second.startup_error(), HasSubstr("another process uses the data directory"));
  server_->Stop();
  const ServerProcess off(folder_.File("data"));
  EXPECT_FALSE(off.is_running());
  EXPECT_THAT(off.startup_error(), HasSubstr("was used with --tenants"));
}

TEST_F(TenantsTest, OperatorCanUseEachDirectoryAsAStore) {
  Start();
  SendEverything("red");
  SendEverything("blue");
  server_->Stop();
  const std::string data = folder_.File("data");
  const RunResult all = Flarestack({"store", "stats", "--data-dir", data});
  EXPECT_EQ(all.exit_code, 0) << all.error;
  EXPECT_THAT(all.out, AllOf(HasSubstr("blue"), HasSubstr("red")));
  for (const char* verb : {"stats", "verify"})
    EXPECT_EQ(Flarestack({"store", verb, "--data-dir", data + "/tenants/red"}).exit_code, 0);
  const std::string backup = folder_.File("backup");
  const RunResult whole = Flarestack({"store", "backup", "--data-dir", data, backup});
  EXPECT_EQ(whole.exit_code, 1);
  EXPECT_THAT(whole.error, HasSubstr("--data-dir " + data + "/tenants/blue"));
  EXPECT_EQ(Flarestack({"store", "backup", "--data-dir", data + "/tenants/red", backup}).exit_code,
            0);
  EXPECT_EQ(
      Flarestack({"store", "restore", backup, "--data-dir", data + "/tenants/copy"}).exit_code, 0);
  Start();
  EXPECT_THAT(Read("/api/v1/logs", "copy").body, HasSubstr("log_of_red"));
}

}  // namespace
}  // namespace flarestack::testing
