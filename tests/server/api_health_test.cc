// SPDX-License-Identifier: Apache-2.0
//
// GET /api/v1/health: received data, its senders, drops, and problems to report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/text/text.h"
#include "net/grpc/grpc_client.h"
#include "support/otlp_messages.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class ApiHealthTest : public ::testing::Test {
 protected:
  void Start(const std::vector<std::string>& flags = {}) {
    server_.emplace(folder_.File("data"), flags);
    ASSERT_TRUE(server_->is_running()) << server_->log();
  }
  Json Health(const std::optional<std::string>& tenant = std::nullopt) {
    const Answer response = Get(server_->http() + "/api/v1/health", "", tenant);
    EXPECT_EQ(response.status, 200) << response.body;
    return Json::parse(response.body, nullptr, false);
  }
  int SendProfile(const std::string& service,
                  const std::optional<std::string>& tenant = std::nullopt) {
    return Send({.url = server_->otlp_http() + "/v1/profiles",
                 .body = ToProtobuf(OneProfile(service, {"main 1", "idle 2"})),
                 .tenant = tenant})
        .status;
  }
  static std::string Codes(const Json& health) {
    std::string codes;
    for (const Json& problem : health["problems"])
      base::StrAppend(&codes, codes.empty() ? "" : " ", problem["code"].get<std::string>());
    return codes;
  }

  TemporaryFolder folder_;
  std::optional<ServerProcess> server_;
};

TEST_F(ApiHealthTest, ReportsWhatEachSenderSent) {
  Start({"--disk-limit", "1GiB"});
  const Json fresh = Health();
  EXPECT_EQ(fresh["status"], "ok");
  EXPECT_EQ(Codes(fresh), "nothing_received");
  EXPECT_EQ(fresh["store"]["oldest"], nullptr);
  EXPECT_EQ(fresh["listening"]["scheme"], "http");
  EXPECT_THAT(server_->otlp_http(),
              EndsWith(base::StrCat(":", fresh["listening"]["otlp_http_port"].get<int>())));
  EXPECT_THAT(server_->otlp_grpc(),
              EndsWith(base::StrCat(":", fresh["listening"]["otlp_grpc_port"].get<int>())));

  ASSERT_EQ(SendProfile("cart"), 200);
  auto client = net::GrpcClient::Create({.target = server_->otlp_grpc()});
  ASSERT_EQ((*client)->Call(kProfilesMethod, ToProtobuf(OneProfile("shop", {"main 1"})), {}).code,
            absl::StatusCode::kOk);
  ASSERT_EQ(Send({.url = server_->otlp_http() + "/v1/logs",
                  .content_type = "application/json",
                  .body = LogsRequest("cart", {R"({"body":{"stringValue":"x"}})"})})
                .status,
            200);
  const Json health = Health();
  EXPECT_EQ(health["status"], "ok") << health.dump(2);
  EXPECT_EQ(Codes(health), "");
  EXPECT_EQ(health["ingest"]["profiles"]["requests"], 2);
  EXPECT_EQ(health["ingest"]["profiles"]["items"], 3);
  EXPECT_GT(health["ingest"]["profiles"]["bytes"].get<int64_t>(), 0);
  EXPECT_TRUE(health["ingest"]["profiles"]["last_seen"].is_string());
  EXPECT_EQ(health["ingest"]["logs"]["items"], 1);
  EXPECT_EQ(health["ingest"]["traces"]["last_seen"], nullptr);
  ASSERT_EQ(health["senders"].size(), 2u) << health["senders"].dump(2);
  EXPECT_EQ(health["senders"][0]["service"], "cart");
  EXPECT_EQ(health["senders"][0]["requests"], 2);
  EXPECT_EQ(health["senders"][1]["service"], "shop");
  EXPECT_EQ(health["senders"][1]["host"], health["senders"][0]["host"]);
  EXPECT_EQ(health["store"]["state"], "open");
  EXPECT_EQ(health["store"]["disk_limit_bytes"], 1 << 30);
  EXPECT_GT(health["store"]["disk_bytes"].get<int64_t>(), 0);
  EXPECT_EQ(health["store"]["series"], 2);
  EXPECT_TRUE(health["store"]["signals"]["logs"]["oldest"].is_string());
  EXPECT_GT(health["memory"]["resident_bytes"].get<int64_t>(), 0);
  EXPECT_GT(health["memory"]["requests_bytes_limit"].get<int64_t>(), 0);
  EXPECT_FALSE(health["version"].get<std::string>().empty());
}

TEST_F(ApiHealthTest, ReportsDroppedData) {
  Start({"--max-series", "1"});
  ASSERT_EQ(SendProfile("cart"), 200);
  ASSERT_EQ(SendProfile("shop"), 200);
  EXPECT_EQ(Send({.url = server_->otlp_http() + "/v1/traces", .body = "\xff\xff"}).status, 400);
  const Json health = Health();
  EXPECT_EQ(health["status"], "warning");
  EXPECT_THAT(Codes(health), HasSubstr("series_limit"));
  EXPECT_THAT(Codes(health), HasSubstr("dropped"));
  EXPECT_THAT(Codes(health), HasSubstr("sender_failing"));
  EXPECT_EQ(health["ingest"]["traces"]["failed"], 1);
  EXPECT_EQ(health["ingest"]["profiles"]["rejected"], 1);
  bool has_series_limit = false;
  for (const Json& drop : health["drops"])
    has_series_limit = has_series_limit || drop["reason"] == "series_limit";
  EXPECT_TRUE(has_series_limit) << health["drops"].dump();
  for (const Json& problem : health["problems"])
    EXPECT_FALSE(problem["advice"].get<std::string>().empty()) << problem.dump();
}

TEST_F(ApiHealthTest, IsAvailableOnTheCommandLine) {
  Start();
  ASSERT_EQ(SendProfile("cart"), 200);
  const RunResult run = Flarestack({"query", "health", "--server", server_->http()});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_THAT(run.out, HasSubstr("ok: store open, "));
  EXPECT_THAT(run.out, HasSubstr("profiles"));
}

TEST_F(ApiHealthTest, ShowsATenantOnlyItsOwnData) {
  Start({"--tenants"});
  ASSERT_EQ(SendProfile("cart", "red"), 200);
  EXPECT_EQ(Health("red")["ingest"]["profiles"]["items"], 2);
  EXPECT_EQ(Health("red")["senders"].size(), 1u);
  EXPECT_EQ(Health("blue")["ingest"]["profiles"]["items"], 0);
  EXPECT_EQ(Health("blue")["senders"].size(), 0u);
  EXPECT_EQ(Get(server_->http() + "/api/v1/health").status, 401);
}

}  // namespace
}  // namespace flarestack::testing
