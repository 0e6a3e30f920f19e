// SPDX-License-Identifier: Apache-2.0
//
// Uploaded files: every profile endpoint can read them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/compress/compress.h"
#include "base/text/text.h"
#include "net/http/http_client.h"
#include "support/otlp_messages.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack::testing {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;

constexpr char kBefore[] = "main;parse 30\nmain;render 70\n";
constexpr char kAfter[] = "main;parse 60\nmain;render 40\n";

class ApiUploadsTest : public ::testing::Test {
 protected:
  void Start(std::vector<std::string> flags = {}) {
    server_.emplace(folder_.File("data"), flags);
    ASSERT_TRUE(server_->is_running()) << server_->log();
  }
  std::string Url(const std::string& path) const { return server_->http() + "/api/v1" + path; }

  Answer Upload(const std::string& body, const std::string& query = {},
                const std::optional<std::string>& tenant = std::nullopt) {
    return Send({.url = Url("/scratch" + query),
                 .content_type = "application/octet-stream",
                 .body = body,
                 .tenant = tenant});
  }
  std::string UploadedId(const std::string& body,
                         const std::optional<std::string>& tenant = std::nullopt) {
    const Answer answer = Upload(body, "", tenant);
    EXPECT_EQ(answer.status, 201) << answer.body;
    return Json::parse(answer.body, nullptr, false).value("id", "");
  }
  Json Fetch(const std::string& path, int status = 200) {
    const Answer answer = Get(Url(path));
    EXPECT_EQ(answer.status, status) << path << " " << answer.body;
    return Json::parse(answer.body, nullptr, false);
  }
  int Delete(const std::string& path) {
    net::HttpClient client({});
    net::HttpClientRequest request;
    request.method = "DELETE";
    request.url = Url(path);
    const auto response = client.Send(request);
    return response.ok() ? response->status : 0;
  }

  TemporaryFolder folder_;
  std::optional<ServerProcess> server_;
};

TEST_F(ApiUploadsTest, AreQueriedLikeStoredData) {
  Start();
  const Answer answer = Upload(base::Gzip(kBefore), "?ttl=1h");
  ASSERT_EQ(answer.status, 201) << answer.body;
  const Json made = Json::parse(answer.body);
  const std::string id = made["id"];
  EXPECT_EQ(made["format"], "folded");
  EXPECT_EQ(made["samples"], 2);
  EXPECT_EQ(made["types"].size(), 1u);
  EXPECT_EQ(made["services"].size(), 1u);
  EXPECT_GT(made["expires"].get<std::string>(), made["from"].get<std::string>());

  const std::string scratch = "scratch=" + id;
  EXPECT_EQ(Fetch("/flame?" + scratch)["total"], 100);
  EXPECT_EQ(Fetch("/top?limit=1&" + scratch)["rows"][0]["function"], "render");
  for (const char* path :
       {"/callers?fn=parse&", "/lines?fn=parse&", "/series?", "/heat?", "/samples?", "/profiles?",
        "/services?", "/attrs?", "/attr-values?key=service.name&", "/attr-breakdown?key=host&",
        "/deployments?"}) {
    const Json json = Fetch(path + scratch);
    EXPECT_TRUE(json.contains("meta")) << path;
  }
  EXPECT_EQ(Fetch("/profiles?" + scratch)["profile_count"], 1);
  EXPECT_FALSE(Fetch("/series?" + scratch).contains("empty"));
  EXPECT_EQ(Get(Url("/export?format=folded&" + scratch)).body, kBefore);
  EXPECT_EQ(Fetch("/scratch/" + id)["samples"], 2);

  EXPECT_EQ(Fetch("/flame")["total"], 0) << "uploads are not in the store";
  EXPECT_EQ(Fetch("/flame?scratch=")["total"], 0) << "an empty name selects the store";
  EXPECT_EQ(Fetch("/flame?from=now-2h&to=now-1h&" + scratch)["total"], 0)
      << "the time range still applies";
}

TEST_F(ApiUploadsTest, AreComparedWithEachOtherAndWithStoredData) {
  Start();
  const std::string before = UploadedId(kBefore);
  const std::string after = UploadedId(kAfter);
  const Json diff = Fetch("/diff?norm=none&scratch=" + after + "&b.scratch=" + before);
  EXPECT_EQ(diff["before"]["total"], 100);
  EXPECT_EQ(diff["after"]["total"], 100);
  ASSERT_GE(diff["rows"].size(), 2u) << diff.dump();
  for (const Json& row : diff["rows"]) {
    if (row["function"] == "parse") {
      EXPECT_EQ(row["delta"], 30);
    }
  }
  // The baseline inherits missing parameters.
  EXPECT_EQ(Fetch("/diff?norm=none&scratch=" + after)["total_delta"], 0);

  EXPECT_THAT(Fetch("/diff?scratch=" + after + "&b.scratch=", 404)["message"].get<std::string>(),
              HasSubstr("the baseline is empty"));
  ASSERT_EQ(Send({.url = server_->otlp_http() + "/v1/profiles",
                  .body = ToProtobuf(OneProfile("cart", {"main;parse 1"}))})
                .status,
            200);
  const std::string cpu = UploadedId(ToProtobuf(OneProfile("cart", {"main;parse 60"})));
  EXPECT_EQ(Fetch("/diff?norm=none&scratch=" + cpu + "&b.scratch=")["total_delta"], 59);
  EXPECT_EQ(Fetch("/diff?norm=none&from=now-30m&to=now-1ms&b.scratch=" + cpu)["total_delta"], -59)
      << "the time range does not apply to a file";
  EXPECT_THAT(
      Fetch("/diff?scratch=" + after + "&b.scratch=" + cpu, 400)["message"].get<std::string>(),
      HasSubstr("nanoseconds"));
}

TEST_F(ApiUploadsTest, AcceptEveryFormat) {
  Start();
  for (const char* name : {"checkout.pb.gz", "checkout.otlp", "checkout.folded"}) {
    std::ifstream file(std::string(FLARESTACK_TESTDATA) + "/examples/" + name, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
    ASSERT_FALSE(bytes.empty()) << name;
    const std::string id = UploadedId(bytes);
    const Json top = Fetch("/top?limit=1&scratch=" + id);
    EXPECT_EQ(top["rows"].size(), 1u) << name << top.dump();
  }
}

TEST_F(ApiUploadsTest, AreGoneAfterRemoval) {
  Start();
  const std::string id = UploadedId(kBefore);
  EXPECT_EQ(Delete("/scratch/" + id), 200);
  EXPECT_EQ(Delete("/scratch/" + id), 404);
  const Json gone = Fetch("/flame?scratch=" + id, 404);
  EXPECT_EQ(gone["message"], "no such upload");
  EXPECT_THAT(gone["hint"].get<std::string>(), HasSubstr("upload the file again"));
  Fetch("/scratch/" + id, 404);
  Fetch("/diff?b.scratch=" + id, 404);
}

TEST_F(ApiUploadsTest, AreGoneAfterTheServerStops) {
  Start();
  const std::string id = UploadedId(kBefore);
  EXPECT_EQ(server_->Stop(), 0);
  EXPECT_FALSE(std::filesystem::exists(folder_.File("data") + "/scratch"));
  Start();
  const std::string other = UploadedId(kBefore);
  server_->Kill();
  EXPECT_TRUE(std::filesystem::exists(folder_.File("data") + "/scratch/" + other));
  Start();
  EXPECT_FALSE(std::filesystem::exists(folder_.File("data") + "/scratch/" + other));
  Fetch("/flame?scratch=" + id, 404);
  Fetch("/flame?scratch=" + other, 404);
}

TEST_F(ApiUploadsTest, BelongToTheirTenant) {
  Start({"--tenants"});
  const std::string id = UploadedId(kBefore, "red");
  const std::string path = "/flame?scratch=" + id;
  EXPECT_EQ(Get(Url(path), "", "red").status, 200);
  EXPECT_EQ(Get(Url(path), "", "blue").status, 404);
  EXPECT_EQ(Get(Url(path)).status, 401);
  EXPECT_EQ(Get(Url("/scratch/" + id), "", "blue").status, 404);
  EXPECT_FALSE(std::filesystem::exists(folder_.File("data") + "/tenants/red"))
      << "an upload does not create a tenant";
}

TEST_F(ApiUploadsTest, ReportWhatIsWrongWithAFile) {
  Start({"--max-scratch-uploads", "1"});
  const Answer unknown = Upload("\x01\x02\x03");
  EXPECT_EQ(unknown.status, 400) << unknown.body;
  EXPECT_THAT(unknown.body, HasSubstr("unknown profile format"));
  EXPECT_EQ(Upload("").status, 400);
  for (const char* ttl : {"?ttl=0s", "?ttl=8d", "?ttl=soon", "?life=1h"})
    EXPECT_EQ(Upload(kBefore, ttl).status, 400) << ttl;
  const std::string first = UploadedId(kBefore);
  const std::string second = UploadedId(kAfter);
  Fetch("/flame?scratch=" + first, 404);
  EXPECT_EQ(Fetch("/flame?scratch=" + second)["total"], 100);
  Fetch("/logs?scratch=" + second, 400);
}

TEST_F(ApiUploadsTest, CanBeDisabled) {
  Start({"--max-scratch-bytes", "0"});
  const Answer answer = Upload(kBefore);
  EXPECT_EQ(answer.status, 404);
  EXPECT_THAT(answer.body, HasSubstr("uploads are disabled"));
  Fetch("/flame?scratch=abc", 404);
  EXPECT_EQ(Delete("/scratch/abc"), 404);
}

}  // namespace
}  // namespace flarestack::testing
