// SPDX-License-Identifier: Apache-2.0
#include "sdk/export/http_post.h"

#include <gtest/gtest.h>

namespace flarestack::sdk {
namespace {

std::string Parts(std::string_view url) {
  std::string why;
  const auto target = ParseHttpUrl(url, &why);
  return target.has_value() ? target->host + " " + target->port + " " + target->path : why;
}

TEST(HttpPostTest, TakesUrlsApart) {
  EXPECT_EQ(Parts("http://localhost:4318/v1/x"), "localhost 4318 /v1/x");
  EXPECT_EQ(Parts("http://collector"), "collector 80 /");
  EXPECT_EQ(Parts("http://[::1]:4318/x"), "::1 4318 /x");
  EXPECT_EQ(Parts("http://[fe80::1]/x"), "fe80::1 80 /x");
}

TEST(HttpPostTest, SaysWhatIsWrongWithAUrl) {
  EXPECT_EQ(Parts("https://x/"),
            "https is not supported; send to an agent or a Collector over http");
  for (const char* url : {"", "localhost:4318", "http://", "http://:80/", "http://a:/", "ftp://a"})
    EXPECT_EQ(Parts(url), "expected http://HOST:PORT/PATH") << url;
}

TEST(HttpPostTest, TheStatusDecidesAboutRetry) {
  for (const int status : {0, 429, 502, 503, 504})
    EXPECT_TRUE(HttpResult{.status = status}.is_retryable()) << status;
  for (const int status : {200, 400, 401, 404, 413, 500})
    EXPECT_FALSE(HttpResult{.status = status}.is_retryable()) << status;
}

TEST(HttpPostTest, ReportsThatNobodyListens) {
  const HttpResult result =
      HttpPost({.host = "127.0.0.1", .port = "1", .path = "/"}, {}, "x", 1000, [] {});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.error, "cannot connect to 127.0.0.1:1: connect: Connection refused");
}

}  // namespace
}  // namespace flarestack::sdk
