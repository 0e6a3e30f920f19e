// SPDX-License-Identifier: Apache-2.0
#include "net/http/http_download.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>

#include "base/check.h"
#include "base/compress/compress.h"
#include "base/file/file.h"
#include "base/status.h"
#include "base/text/text.h"
#include "net/http/http_server.h"
#include "net/testing/raw_server.h"

namespace flarestack::net {
namespace {

namespace fs = std::filesystem;
using absl::StatusCode;
using ::testing::HasSubstr;

class HttpDownloadTest : public ::testing::Test {
 protected:
  HttpDownloadTest() {
    std::string pattern = (fs::temp_directory_path() / "http_download_XXXXXX").string();
    FLARE_CHECK(mkdtemp(pattern.data()) != nullptr);
    directory_ = pattern;
    const auto status = [](int code) {
      return [code](HttpRequest&) { return HttpResponse{.status = code, .body = "sorry"}; };
    };
    HttpServerOptions options;
    options.routes = {
        {"GET", "/file", [](HttpRequest&) { return HttpResponse{.body = std::string(1000, 'x')}; }},
        {"GET", "/packed",
         [](HttpRequest& request) {
           const bool takes_gzip =
               request.headers.Get("accept-encoding").find("gzip") != std::string_view::npos;
           return HttpResponse{.status = takes_gzip ? 200 : 406,
                               .headers = {{"Content-Encoding", "gzip"}},
                               .body = base::Gzip(std::string(100'000, 'x'))};
         }},
        // /hops/3 redirects to /hops/2 and so on.
        {"GET", "/hops/{left}",
         [](HttpRequest& request) {
           const int left = std::stoi(request.path.substr(6));
           if (left == 0)
             return HttpResponse{.body = "arrived"};
           return HttpResponse{.status = 302,
                               .headers = {{"Location", base::StrCat("/hops/", left - 1)}}};
         }},
        {"GET", "/out",
         [](HttpRequest&) {
           return HttpResponse{.status = 302, .headers = {{"Location", "file:///etc/passwd"}}};
         }},
        {"GET", "/broken", status(500)},
        {"GET", "/busy", status(429)},
        {"GET", "/forbidden", status(403)},
        {"GET", "/empty", status(204)}};
    auto server = HttpServer::Start(std::move(options));
    FLARE_CHECK(server.ok());
    server_ = *std::move(server);
  }
  ~HttpDownloadTest() override { fs::remove_all(directory_); }

  DownloadRequest Request(std::string_view path) const { return RequestAt(server_->port(), path); }
  DownloadRequest RequestAt(uint16_t port, std::string_view path) const {
    return {.url = base::StrCat("http://127.0.0.1:", port, path), .path = Path()};
  }
  std::string Path() const { return directory_ + "/file"; }

  // Returns the code of a failed download and checks that no file is left.
  StatusCode CodeOf(const DownloadRequest& request) const {
    const auto result = DownloadFile(request);
    EXPECT_TRUE(fs::is_empty(directory_)) << request.url;
    return result.status().code();
  }

  std::string directory_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpDownloadTest, WritesTheBodyToTheFile) {
  const auto bytes = DownloadFile(Request("/file"));
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(*bytes, 1000u);
  EXPECT_EQ(*base::ReadFile(Path(), 1 << 20), std::string(1000, 'x'));
}

TEST_F(HttpDownloadTest, AcceptsACompressedResponse) {
  const auto bytes = DownloadFile(Request("/packed"));
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(*base::ReadFile(Path(), 1 << 20), std::string(100'000, 'x'));
}

TEST_F(HttpDownloadTest, LimitAppliesToTheFileNotToTheTransfer) {
  DownloadRequest request = Request("/file");
  request.limits.bytes_max = 1000;
  EXPECT_TRUE(DownloadFile(request).ok());
  fs::remove(Path());
  request.limits.bytes_max = 999;
  EXPECT_EQ(CodeOf(request), StatusCode::kResourceExhausted);
  request.url = Request("/packed").url;
  EXPECT_EQ(CodeOf(request), StatusCode::kResourceExhausted);
}

TEST_F(HttpDownloadTest, FollowsAFewRedirectsAndOnlyToHttp) {
  EXPECT_EQ(*DownloadFile(Request("/hops/3")), 7u);
  fs::remove(Path());
  EXPECT_EQ(CodeOf(Request("/hops/4")), StatusCode::kUnavailable);
  EXPECT_NE(CodeOf(Request("/out")), StatusCode::kOk);
}

TEST_F(HttpDownloadTest, EachFailureHasItsOwnCode) {
  EXPECT_EQ(CodeOf(Request("/none")), StatusCode::kNotFound);
  EXPECT_EQ(CodeOf(Request("/broken")), StatusCode::kUnavailable);
  EXPECT_EQ(CodeOf(Request("/busy")), StatusCode::kUnavailable);
  EXPECT_EQ(CodeOf(Request("/forbidden")), StatusCode::kFailedPrecondition);
  EXPECT_EQ(CodeOf(Request("/empty")), StatusCode::kFailedPrecondition);
  EXPECT_EQ(CodeOf(RequestAt(1, "/")), StatusCode::kUnavailable);
  EXPECT_EQ(CodeOf({.url = "file:///etc/passwd", .path = Path()}), StatusCode::kInvalidArgument);
  EXPECT_THAT(base::Message(DownloadFile(Request("/broken")).status()), HasSubstr("responded 500"));
}

TEST_F(HttpDownloadTest, KeepsTheOldFileIfADownloadFails) {
  ASSERT_TRUE(DownloadFile(Request("/file")).ok());
  EXPECT_FALSE(DownloadFile(Request("/none")).ok());
  EXPECT_EQ(*base::ReadFile(Path(), 1 << 20), std::string(1000, 'x'));
}

TEST_F(HttpDownloadTest, TruncatedBodyLeavesNoFile) {
  RawServer server(
      [](std::string_view, const RawServer::Send& send) {
        send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
      },
      RawServer::Afterwards::kClose);
  EXPECT_EQ(CodeOf(RequestAt(server.port(), "/")), StatusCode::kUnavailable);
}

class SilentServerTest : public HttpDownloadTest {
 protected:
  std::atomic<bool> has_answered_ = false;
  RawServer silent_{[this](std::string_view, const RawServer::Send& send) {
                      send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
                      has_answered_ = true;
                    },
                    RawServer::Afterwards::kHold};
};

TEST_F(SilentServerTest, LimitsTheTotalTime) {
  DownloadRequest request = RequestAt(silent_.port(), "/");
  request.limits.total_timeout = std::chrono::milliseconds(50);
  EXPECT_EQ(CodeOf(request), StatusCode::kDeadlineExceeded);
}

TEST_F(SilentServerTest, AbortsIfTooSlowForTooLong) {
  DownloadRequest request = RequestAt(silent_.port(), "/");
  request.limits.slow_max = std::chrono::seconds(1);
  EXPECT_EQ(CodeOf(request), StatusCode::kDeadlineExceeded);
}

TEST_F(SilentServerTest, DownloadCanBeCancelled) {
  DownloadRequest request = RequestAt(silent_.port(), "/");
  request.is_cancelled = [this] { return has_answered_.load(); };
  EXPECT_EQ(CodeOf(request), StatusCode::kCancelled);
}

}  // namespace
}  // namespace flarestack::net
