// SPDX-License-Identifier: Apache-2.0
//
// Short links: created, followed, rejected, and still valid after a restart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/text/text.h"
#include "net/testing/raw_client.h"
#include "support/otlp_messages.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr char kView[] = "/explore?q=%7Bservice.name%3D%22cart%22%7D&from=now-1h&view=icicle";

class ApiShortlinksTest : public ::testing::Test {
 protected:
  void Start(const std::vector<std::string>& flags = {}) {
    server_.emplace(folder_.File("data"), flags);
    ASSERT_TRUE(server_->is_running()) << server_->log();
  }
  Answer Make(const std::string& body, const std::optional<std::string>& tenant = std::nullopt) {
    return Send({.url = server_->http() + "/api/v1/shortlinks",
                 .content_type = "application/json",
                 .body = body,
                 .tenant = tenant});
  }
  std::string MadeId(const std::string& url) {
    const Answer response = Make(Json({{"url", url}}).dump());
    EXPECT_EQ(response.status, 201) << response.body;
    return Json::parse(response.body, nullptr, false).value("id", "");
  }
  // `headers` are complete lines.
  std::string Follow(const std::string& id, const std::string& headers = {}) {
    return net::Exchange(PortOf(server_->http()),
                         base::StrCat("GET /s/", id, " HTTP/1.1\r\nHost: localhost\r\n", headers,
                                      "Connection: close\r\n\r\n"));
  }

  TemporaryFolder folder_;
  std::optional<ServerProcess> server_;
};

TEST_F(ApiShortlinksTest, LeadToTheirView) {
  Start();
  const Answer response = Make(Json({{"url", kView}}).dump());
  ASSERT_EQ(response.status, 201) << response.body;
  const Json made = Json::parse(response.body);
  const std::string id = made["id"];
  EXPECT_THAT(id, MatchesRegex("[A-Za-z0-9_-]+"));
  EXPECT_EQ(id.size(), 8u);
  EXPECT_EQ(made["url"], "/s/" + id);
  EXPECT_EQ(made["target"], kView);
  EXPECT_EQ(MadeId(kView), id) << "the same view gets the same link";
  EXPECT_NE(MadeId("/explore"), id);

  const std::string reply = Follow(id);
  EXPECT_THAT(reply, HasSubstr("HTTP/1.1 302 "));
  EXPECT_THAT(reply, HasSubstr(base::StrCat("Location: ", kView, "\r\n")));
  const Answer shown = Get(server_->http() + "/api/v1/shortlinks/" + id);
  EXPECT_EQ(shown.status, 200);
  EXPECT_EQ(Json::parse(shown.body)["target"], kView);

  EXPECT_EQ(server_->Stop(), 0);
  Start();
  EXPECT_THAT(Follow(id), HasSubstr(base::StrCat("Location: ", kView, "\r\n")));
}

TEST_F(ApiShortlinksTest, RespectTheProxyPrefix) {
  Start();
  const std::string id = MadeId(kView);
  EXPECT_THAT(Follow(id, "X-Forwarded-Prefix: /team/flare/\r\n"),
              HasSubstr(base::StrCat("Location: /team/flare", kView, "\r\n")));
  for (const char* bad : {"//evil.example", "https://evil.example", "/a b", "/\\evil.example"}) {
    EXPECT_THAT(Follow(id, base::StrCat("X-Forwarded-Prefix: ", bad, "\r\n")),
                HasSubstr(base::StrCat("Location: ", kView, "\r\n")))
        << bad;
  }
}

TEST_F(ApiShortlinksTest, SurviveARestart) {
  Start();
  const std::string id = MadeId(kView);
  server_->Kill();
  Start();
  EXPECT_THAT(Follow(id), HasSubstr(" 302 "));
}

TEST_F(ApiShortlinksTest, RejectBadTargets) {
  Start();
  for (const char* body : {"", "x", "[]", "{}", R"({"url":1})", R"({"url":"/a","more":1})",
                           R"({"url":"//evil.example"})", R"({"url":"https://evil.example/"})",
                           R"({"url":"/\\evil.example"})", R"({"url":"/\n/evil.example"})",
                           R"({"url":"/s/abcdefgh"})", R"({"url":"/\u00e4"})"}) {
    const Answer response = Make(body);
    EXPECT_EQ(response.status, 400) << body << response.body;
    EXPECT_THAT(response.body, HasSubstr("\"hint\":\"")) << body;
  }
  EXPECT_EQ(Make(Json({{"url", "/" + std::string(16 << 10, 'a')}}).dump()).status, 400);
  EXPECT_EQ(Make(std::string(1 << 20, '[')).status, 400);
  EXPECT_EQ(Make(Json({{"url", "/" + std::string((16 << 10) - 1, 'a')}}).dump()).status, 201);
  EXPECT_THAT(Follow("abcdefgh"), HasSubstr("HTTP/1.1 404 "));
  EXPECT_THAT(Follow(std::string(4000, 'a')), HasSubstr("HTTP/1.1 404 "));
  const Answer missing = Get(server_->http() + "/api/v1/shortlinks/abcdefgh");
  EXPECT_EQ(missing.status, 404);
  EXPECT_THAT(missing.body, HasSubstr("no such short link"));
}

TEST_F(ApiShortlinksTest, BelongToTheirTenant) {
  Start({"--tenants"});
  const std::string body = Json({{"url", kView}}).dump();
  const Answer early = Make(body, "red");
  EXPECT_EQ(early.status, 404) << early.body;
  EXPECT_THAT(early.body, HasSubstr("no data is stored yet"));
  for (const char* tenant : {"red", "blue"}) {
    ASSERT_EQ(Send({.url = server_->otlp_http() + "/v1/profiles",
                    .body = ToProtobuf(OneProfile("cart", {"main 1"})),
                    .tenant = tenant})
                  .status,
              200);
  }
  const Answer made = Make(body, "red");
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string path = "/api/v1/shortlinks/" + Json::parse(made.body).value("id", "");
  EXPECT_EQ(Get(server_->http() + path, "", "red").status, 200);
  EXPECT_EQ(Get(server_->http() + path, "", "blue").status, 404);
  EXPECT_EQ(Get(server_->http() + path).status, 401);
}

}  // namespace
}  // namespace flarestack::testing
