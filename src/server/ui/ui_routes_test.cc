// SPDX-License-Identifier: Apache-2.0
#include "server/ui/ui_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/compress/compress.h"

namespace flarestack::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kPage =
    "<html><base href=\"/\" /><script src=\"./assets/a-1.js\"></script>";
constexpr std::string_view kScript = "console.log('here');";

class UiRoutesTest : public ::testing::Test {
 protected:
  net::HttpResponse Get(std::string path, net::HttpHeaders headers = {}) {
    const net::HttpRouter::Match match = router_.Find("GET", path);
    if (match.route == nullptr)
      return {.status = 404, .headers = {}, .body = {}};
    net::HttpRequest request;
    request.method = "GET";
    request.path = std::move(path);
    request.headers = std::move(headers);
    return match.route->handler(request);
  }

  const std::string page_ = base::Gzip(kPage);
  const std::string script_ = base::Gzip(kScript);
  const std::vector<UiAsset> assets_ = {
      {"/assets/a-1.js", "text/javascript", "\"e1\"", script_, kScript.size()},
      {"/icon.svg", "image/svg+xml", "\"e2\"", script_, kScript.size()},
      {"/index.html", "text/html", "\"e3\"", page_, kPage.size()}};
  const net::HttpRouter router_{UiRoutes(assets_)};
};

TEST_F(UiRoutesTest, EveryPageIsTheSameFile) {
  for (const char* path : {"/", "/explore", "/trace/5b8efff7", "/fn/crypto/tls.(*Conn).Write",
                           "/service/a/b", "/open"}) {
    EXPECT_EQ(Get(path).body, kPage) << path;
    EXPECT_EQ(Get(path).headers.Get("Cache-Control"), "no-cache");
  }
}

TEST_F(UiRoutesTest, PagesAllowNoExternalScript) {
  const net::HttpResponse page = Get("/");
  EXPECT_THAT(std::string(page.headers.Get("Content-Security-Policy")),
              AllOf(HasSubstr("default-src 'none'"), HasSubstr("script-src 'self';"),
                    Not(HasSubstr("unsafe"))));
  EXPECT_EQ(page.headers.Get("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(page.headers.Get("Referrer-Policy"), "same-origin");
}

TEST_F(UiRoutesTest, ProxyPrefixIsTheBaseOfThePage) {
  EXPECT_THAT(Get("/", {{"X-Forwarded-Prefix", "/team/flare/"}}).body,
              HasSubstr("<base href=\"/team/flare/\" />"));
  for (const char* bad : {"//evil.example", "evil", "/a\"><script>", "/a b", "/%3c"})
    EXPECT_EQ(Get("/", {{"X-Forwarded-Prefix", bad}}).body, kPage) << bad;
  EXPECT_EQ(Get("/", {{"X-Forwarded-Prefix", "/" + std::string(300, 'a')}}).body, kPage);
}

TEST_F(UiRoutesTest, ServesFilesCompressedOrInflated) {
  const net::HttpResponse packed = Get("/assets/a-1.js", {{"Accept-Encoding", "br, gzip"}});
  EXPECT_EQ(packed.body, script_);
  EXPECT_EQ(packed.headers.Get("Content-Encoding"), "gzip");
  EXPECT_EQ(packed.headers.Get("Content-Type"), "text/javascript");
  const net::HttpResponse plain = Get("/assets/a-1.js");
  EXPECT_EQ(plain.body, kScript);
  EXPECT_EQ(plain.headers.Get("Content-Encoding"), "");
}

TEST_F(UiRoutesTest, FilesNamedByTheirContentAreCachedForever) {
  EXPECT_THAT(std::string(Get("/assets/a-1.js").headers.Get("Cache-Control")),
              HasSubstr("immutable"));
  EXPECT_EQ(Get("/icon.svg").headers.Get("Cache-Control"), "no-cache");
  const net::HttpResponse same = Get("/icon.svg", {{"If-None-Match", "\"e2\""}});
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.body, "");
}

TEST_F(UiRoutesTest, UnknownFileIsNotFound) {
  EXPECT_EQ(Get("/assets/b-2.js").status, 404);
  EXPECT_EQ(Get("/api/v1/nothing").status, 404);
}

TEST_F(UiRoutesTest, BrowserGetsAPageForAnUnknownPath) {
  const auto ask = [&](std::string path, std::string accept) {
    net::HttpRequest request;
    request.method = "GET";
    request.path = std::move(path);
    request.headers.Set("Accept", std::move(accept));
    return NotFoundPage(assets_, request);
  };
  const std::string browser = "text/html,application/xhtml+xml,*/*;q=0.8";
  const auto page = ask("/no/such/page", browser);
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->body, kPage);
  EXPECT_NE(page->headers.Get("Content-Security-Policy"), "");
  EXPECT_FALSE(ask("/no/such/page", "*/*").has_value());
  for (const char* path : {"/api/v1/nothing", "/v1/traces", "/v1development/x", "/buildid/00"})
    EXPECT_FALSE(ask(path, browser).has_value()) << path;
}

TEST(UiRoutesWithoutPagesTest, ExplainHowToBuildThem) {
  const net::HttpRouter router(UiRoutes({}));
  net::HttpRequest request;
  request.path = "/explore";
  const net::HttpResponse page = router.Find("GET", "/explore").route->handler(request);
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, AllOf(HasSubstr("npm run build"), HasSubstr("api/v1/openapi.json")));
}

TEST(UiAssetsTest, EmbeddedFilesAreComplete) {
  for (const UiAsset& asset : UiAssets()) {
    const auto plain = base::Gunzip(asset.gzip, asset.plain_bytes);
    ASSERT_TRUE(plain.ok()) << asset.path << ": " << plain.status();
    EXPECT_EQ(plain->size(), asset.plain_bytes) << asset.path;
  }
}

}  // namespace
}  // namespace flarestack::server
