// SPDX-License-Identifier: Apache-2.0
#include "net/http/http_router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flarestack::net {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

HttpRouter Example() {
  return HttpRouter({
      {.method = "GET", .pattern = "/ui/*"},
      {.method = "GET", .pattern = "/api/{id}"},
      {.method = "GET", .pattern = "/api/self"},
      {.method = "DELETE", .pattern = "/api/{id}"},
      {.method = "POST", .pattern = "/v1/profiles"},
      {.method = "GET", .pattern = "/api/{id}/parts/{part}"},
      {.method = "GET", .pattern = "/"},
  });
}

std::string PatternFor(const char* method, const char* path) {
  const HttpRouter router = Example();
  const auto match = router.Find(method, path);
  return match.route != nullptr ? match.route->pattern : match.allowed.empty() ? "404" : "405";
}

TEST(HttpRouterTest, MostLiteralPatternWins) {
  EXPECT_EQ(PatternFor("GET", "/"), "/");
  EXPECT_EQ(PatternFor("GET", "/api/self"), "/api/self");
  EXPECT_EQ(PatternFor("GET", "/api/7"), "/api/{id}");
  EXPECT_EQ(PatternFor("DELETE", "/api/self"), "/api/{id}");
  EXPECT_EQ(PatternFor("GET", "/ui/a/b.js"), "/ui/*");
  EXPECT_EQ(PatternFor("HEAD", "/api/self"), "/api/self");
}

TEST(HttpRouterTest, DistinguishesUnknownPathsFromUnknownMethods) {
  EXPECT_EQ(PatternFor("GET", "/none"), "404");
  EXPECT_EQ(PatternFor("GET", "/api/"), "404");
  EXPECT_EQ(PatternFor("GET", "/v1/profiles/"), "404");
  EXPECT_EQ(PatternFor("GET", "/v1/profiles"), "405");
  EXPECT_EQ(PatternFor("GET", "*"), "404");
}

TEST(HttpRouterTest, ListsTheAllowedMethodsOfAPath) {
  const HttpRouter router = Example();
  EXPECT_THAT(router.Find("PUT", "/api/7").allowed,
              ElementsAre("DELETE", "GET", "HEAD", "OPTIONS"));
  EXPECT_THAT(router.Find("PUT", "/none").allowed, IsEmpty());
}

TEST(HttpRouterTest, ReturnsNamedPartsAndTheRest) {
  const HttpRouter router = Example();
  const auto match = router.Find("GET", "/api/7/parts/x y");
  EXPECT_EQ(match.path_parameters.Find("id"), "7");
  EXPECT_EQ(match.path_parameters.Find("part"), "x y");
  EXPECT_EQ(router.Find("GET", "/ui/a/b.js").path_parameters.Find("*"), "a/b.js");
  EXPECT_EQ(router.Find("GET", "/ui/").path_parameters.Find("*"), "");
}

}  // namespace
}  // namespace flarestack::net
