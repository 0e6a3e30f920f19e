// SPDX-License-Identifier: Apache-2.0
//
// The server's log: contains the events that an operator looks for, and never a secret.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <functional>

#include "base/text/encoding.h"
#include "base/text/text.h"
#include "nlohmann/json.hpp"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kPassword[] = "correct horse battery";
constexpr char kWrongPassword[] = "wrong-horse-battery";

// Parses the JSON lines and skips the text that is printed on standard output.
std::vector<nlohmann::json> Events(const std::string& log) {
  std::vector<nlohmann::json> events;
  size_t begin = 0;
  while (begin < log.size()) {
    const size_t end = std::min(log.find('\n', begin), log.size());
    const std::string line = log.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with("{"))
      events.push_back(nlohmann::json::parse(line));
  }
  return events;
}

// "EVENT NAME-OR-WHAT" of each event.
std::vector<std::string> Summaries(const std::string& log) {
  std::vector<std::string> summaries;
  for (const nlohmann::json& event : Events(log)) {
    std::string text = event["event"];
    for (const char* key : {"name", "what", "tenant"}) {
      if (event.contains(key))
        text += " " + event[key].get<std::string>();
    }
    summaries.push_back(text);
  }
  return summaries;
}

// The server checks its files on requests, at most once a second, so send requests until it did.
bool RequestUntil(const std::function<bool()>& is_done) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < deadline) {
    if (is_done())
      return true;
  }
  return false;
}

class LogTest : public ::testing::Test {
 protected:
  std::string NewToken(const std::string& name, const std::string& roles) const {
    const RunResult run = Flarestack({"auth", "add", name, "--file", file_, "--roles", roles});
    EXPECT_EQ(run.exit_code, 0) << run.error;
    return run.out.substr(0, run.out.find('\n'));
  }
  static std::string Basic(const std::string& user, const std::string& password) {
    return "Basic " + base::Base64Encode(user + ":" + password);
  }

  TemporaryFolder folder_;
  const std::string file_ = folder_.File("auth");
};

TEST_F(LogTest, NamesTheRejectedClientAndNoSecret) {
  const std::string writer = NewToken("agent", "write");
  EXPECT_EQ(Flarestack({"auth", "add", "anna", "--user", "--file", file_, "--roles", "read"},
                       {.input = std::string(kPassword) + "\n"})
                .exit_code,
            0);
  ServerProcess server(folder_.File("data"), {"--auth-file", file_, "--log-format", "json"});
  ASSERT_TRUE(server.is_running()) << server.log();
  const std::string logs = server.http() + "/api/v1/logs";
  EXPECT_EQ(Get(logs, "Bearer fst_00unknown00token00").status, 401);
  EXPECT_EQ(Get(logs, Basic("anna", kWrongPassword)).status, 401);
  EXPECT_EQ(Get(logs, Basic("typed-a-secret-as-name", kWrongPassword)).status, 401);
  EXPECT_EQ(Get(logs, Basic("anna", kPassword)).status, 200);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(Get(logs, "Bearer " + writer).status, 403);

  const std::string reader = NewToken("reader", "read");
  EXPECT_TRUE(RequestUntil([&] { return Get(logs, "Bearer " + reader).status == 200; }));
  { std::ofstream(file_) << "token name=agent sha256=" << reader << "\n"; }
  const std::string metrics = server.http() + "/metrics";
  EXPECT_TRUE(RequestUntil([&] {
    return Get(metrics, "Bearer " + reader).body.find("flarestack_reload_failed_total") !=
           std::string::npos;
  }));
  EXPECT_EQ(server.Stop(), 0);

  const std::vector<std::string> events = Summaries(server.log());
  for (const char* event :
       {"server.start", "server.stop", "server.stopped", "auth.refused ", "auth.refused anna",
        "auth.refused agent", "reload.ok auth", "reload.failed auth"}) {
    EXPECT_THAT(events, Contains(event)) << server.log();
  }
  // Twenty equal events in a short time are rate-limited.
  EXPECT_LT(std::count(events.begin(), events.end(), "auth.refused agent"), 20);
  for (const std::string& secret :
       {writer, reader, std::string(kPassword), std::string(kWrongPassword),
        std::string("00unknown00token00"), std::string("typed-a-secret-as-name"),
        Basic("anna", kPassword).substr(6), Basic("anna", kWrongPassword).substr(6)}) {
    EXPECT_THAT(server.log(), Not(HasSubstr(secret)));
  }
}

TEST_F(LogTest, WritesTextByDefaultAndNothingWhenOff) {
  ServerProcess text(folder_.File("text"));
  EXPECT_EQ(text.Stop(), 0);
  EXPECT_THAT(text.log(), HasSubstr(" info server.start data_dir="));
  EXPECT_THAT(text.log(), HasSubstr(" info server.stop\n"));
  ServerProcess quiet(folder_.File("quiet"), {"--log-level", "warn"});
  EXPECT_EQ(quiet.Stop(), 0);
  EXPECT_THAT(quiet.log(), Not(HasSubstr("server.start")));
}

TEST_F(LogTest, ContinuesAfterTheReaderIsGone) {
  const std::string writer = NewToken("agent", "write");
  ServerProcess server(folder_.File("data"), {"--auth-file", file_});
  ASSERT_TRUE(server.is_running()) << server.log();
  server.CloseOutput();
  EXPECT_EQ(Get(server.http() + "/api/v1/logs", "Bearer " + writer).status, 403);
  EXPECT_EQ(Get(server.http() + "/healthz").status, 200);
  EXPECT_EQ(server.Stop(), 0);
}

TEST_F(LogTest, ReportsANewTenant) {
  ServerProcess server(folder_.File("data"), {"--tenants", "--log-format", "json"});
  ASSERT_TRUE(server.is_running()) << server.log();
  const Post post = {.url = server.otlp_http() + "/v1/logs",
                     .content_type = "application/json",
                     .body = R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}]})",
                     .tenant = "shop"};
  EXPECT_EQ(Send(post).status, 200);
  EXPECT_EQ(Send(post).status, 200);
  EXPECT_EQ(server.Stop(), 0);
  const std::vector<std::string> events = Summaries(server.log());
  EXPECT_EQ(std::count(events.begin(), events.end(), "tenant.new shop"), 1);
}

}  // namespace
}  // namespace flarestack::testing
