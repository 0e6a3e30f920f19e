// SPDX-License-Identifier: Apache-2.0
#include "net/http/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/compress/compress.h"
#include "base/status.h"
#include "base/text/text.h"
#include "net/http/decompress.h"
#include "net/http/http_server.h"
#include "net/testing/gate.h"

namespace flarestack::net {
namespace {

using absl::StatusCode;

class HttpClientTest : public ::testing::Test {
 protected:
  HttpClientTest() {
    HttpServerOptions options;
    const HttpHandler echo = [](HttpRequest& request) {
      return HttpResponse{.status = request.method == "POST" ? 201 : 200,
                          .headers = {{"X-Type", std::string(request.headers.Get("content-type"))},
                                      {"X-Expect", std::string(request.headers.Get("expect"))}},
                          .body = request.body};
    };
    const HttpHandler redirect = [](HttpRequest&) {
      return HttpResponse{.status = 302, .headers = {{"Location", "/echo"}}, .body = "elsewhere"};
    };
    options.routes = {{"POST", "/echo", echo},
                      {"GET", "/echo", echo},
                      {"PUT", "/echo", echo},
                      {"GET", "/redirect", redirect},
                      {"POST", "/redirect", redirect},
                      {"GET", "/wait", [this](HttpRequest&) {
                         gate_.Pass();
                         return HttpResponse{};
                       }}};
    options.limits.decompress.bytes_max = 1 << 20;
    options.limits.decompress.ratio_max = 100'000;
    auto server = HttpServer::Start(std::move(options));
    FLARE_CHECK(server.ok());
    server_ = *std::move(server);
  }

  std::string Url(std::string_view path) const {
    return base::StrCat("http://127.0.0.1:", server_->port(), path);
  }

  Gate gate_;
  std::unique_ptr<HttpServer> server_;
  HttpClient client_{HttpClientOptions{.response_bytes_max = 2 << 20}};
};

TEST_F(HttpClientTest, PassesBodiesHeadersAndStatus) {
  const auto response = client_.Send({.method = "POST",
                                      .url = Url("/echo"),
                                      .headers = {{"Content-Type", "a/b"}},
                                      .body = std::string("\0x", 2)});
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->body, std::string("\0x", 2));
  EXPECT_EQ(response->headers.Get("x-type"), "a/b");
  EXPECT_EQ(client_.Send({.url = Url("/none")})->status, 404);
  EXPECT_EQ(client_.Send({.method = "PUT", .url = Url("/echo"), .body = "abc"})->body, "abc");
  EXPECT_EQ(client_.Send({.method = "HEAD", .url = Url("/echo")})->status, 200);
}

TEST_F(HttpClientTest, SendsALargeBodyWithoutWaitingForContinue) {
  const std::string body(2 << 20, 'x');
  const auto response = client_.Send({.method = "POST", .url = Url("/echo"), .body = body});
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->body, body);
  EXPECT_EQ(response->headers.Get("X-Expect"), "");
}

TEST_F(HttpClientTest, ReusesConnections) {
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(client_.Send({.url = Url("/echo")}).ok());
  EXPECT_EQ(server_->stats().connections, 1);
}

TEST_F(HttpClientTest, RejectsAResponseOverTheLimit) {
  HttpClient small(HttpClientOptions{.response_bytes_max = 1000});
  const auto fits =
      small.Send({.method = "POST", .url = Url("/echo"), .body = std::string(1000, 'x')});
  EXPECT_TRUE(fits.ok()) << fits.status();
  EXPECT_EQ(small.Send({.method = "POST", .url = Url("/echo"), .body = std::string(1001, 'x')})
                .status()
                .code(),
            StatusCode::kResourceExhausted);
}

TEST_F(HttpClientTest, FollowsRedirectsOnlyForReads) {
  EXPECT_EQ(client_.Send({.url = Url("/redirect")})->status, 200);
  EXPECT_EQ(client_.Send({.method = "POST", .url = Url("/redirect"), .body = "x"})->status, 302);
}

TEST_F(HttpClientTest, FailuresHaveTheDocumentedCodes) {
  EXPECT_EQ(client_.Send({.url = "http://127.0.0.1:1/"}).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(client_.Send({.url = "file:///etc/passwd"}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(
      client_.Send({.url = Url("/wait"), .timeout = std::chrono::milliseconds(20)}).status().code(),
      StatusCode::kDeadlineExceeded);
  EXPECT_EQ(client_.Send({.url = Url("/echo"), .headers = {{"A", "b\r\nC: d"}}}).status().code(),
            StatusCode::kInvalidArgument);
  gate_.Open();
}

TEST_F(HttpClientTest, ServerRemovesContentEncodings) {
  const std::string text(100'000, 'x');
  const auto send = [&](const char* coding, const std::string& body) {
    return *client_.Send({.method = "POST",
                          .url = Url("/echo"),
                          .headers = {{"Content-Encoding", coding}},
                          .body = body});
  };
  EXPECT_EQ(send("gzip", base::Gzip(text)).body, text);
  EXPECT_EQ(send("deflate", base::Deflate(text)).body, text);
  EXPECT_EQ(send("zstd", base::Zstd(text)).body, text);
  EXPECT_EQ(send("identity", text).body, text);
  EXPECT_EQ(send("gzip", "nonsense").status, 400);
  EXPECT_EQ(send("br", "x").status, 415);
  EXPECT_EQ(send("br", "x").headers.Get("Accept-Encoding"), kAcceptedCodings);
  EXPECT_EQ(send("gzip", base::Gzip(std::string(64 << 20, '\0'))).status, 413);
}

}  // namespace
}  // namespace flarestack::net
