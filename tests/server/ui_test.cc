// SPDX-License-Identifier: Apache-2.0
//
// The UI pages of the server, whether it was built with them or not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http/http_client.h"
#include "server/ui/ui_assets.h"
#include "support/run_program.h"
#include "support/server_process.h"

namespace flarestack {
namespace {

using testing::Answer;
using testing::Get;
using ::testing::HasSubstr;
using testing::ServerProcess;
using ::testing::StartsWith;
using testing::TemporaryFolder;

class UiTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  ServerProcess server_{folder_.File("data")};
};

TEST_F(UiTest, ServesThePagesAtItsAddress) {
  for (const char* path : {"/", "/explore?v=1&view=table", "/fn/a%2Fb.c", "/trace/5b8e"}) {
    const Answer page = Get(server_.http() + path);
    EXPECT_EQ(page.status, 200) << path;
    EXPECT_THAT(page.content_type, StartsWith("text/html")) << path;
    EXPECT_THAT(page.body, HasSubstr("Flarestack")) << path;
  }
  for (const server::UiAsset& asset : server::UiAssets()) {
    if (asset.path == "/index.html" || asset.path == server::kViewerPath)
      continue;
    const Answer file = Get(server_.http() + std::string(asset.path));
    EXPECT_EQ(file.status, 200) << asset.path;
    EXPECT_EQ(file.content_type, asset.content_type) << asset.path;
  }
}

TEST_F(UiTest, FileViewerIsNotAPageOfTheServer) {
  EXPECT_EQ(Get(server_.http() + std::string(server::kViewerPath)).status, 404);
}

TEST_F(UiTest, UnknownApiPathIsStillAnApiError) {
  const Answer answer = Get(server_.http() + "/api/v1/nothing");
  EXPECT_EQ(answer.status, 404);
  EXPECT_THAT(answer.content_type, StartsWith("application/json"));
}

TEST_F(UiTest, BrowserGetsAPageForAnUnknownPath) {
  if (server::UiAssets().empty())
    GTEST_SKIP() << "built without the UI";
  net::HttpClient client({});
  net::HttpClientRequest request;
  request.headers.Set("Accept", "text/html,*/*;q=0.8");
  const auto type_of = [&](std::string_view path) {
    request.url = server_.http() + std::string(path);
    const auto response = client.Send(request);
    EXPECT_TRUE(response.ok()) << response.status();
    EXPECT_EQ(response->status, 404) << path;
    return std::string(response->headers.Get("Content-Type"));
  };
  EXPECT_THAT(type_of("/no/such/page"), StartsWith("text/html"));
  EXPECT_THAT(type_of("/api/v1/nothing"), StartsWith("application/json"));
}

}  // namespace
}  // namespace flarestack
