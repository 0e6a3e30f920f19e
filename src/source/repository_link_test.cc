// SPDX-License-Identifier: Apache-2.0
#include "source/repository_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flarestack::source {
namespace {

RepositoryOptions Options(const std::vector<std::string>& templates,
                          std::vector<std::string> prefixes = {}) {
  RepositoryOptions options;
  options.prefixes = std::move(prefixes);
  for (const std::string& text : templates)
    options.templates.push_back(*ParseRepositoryTemplate(text));
  return options;
}

constexpr const char* kForge = "https://git.example/shop/blob/v{version}/{path}#L{line}";

TEST(RepositoryLinkTest, ReplacesPlaceholders) {
  const RepositoryOptions options = Options({kForge}, {"/build/", "/build/shop/"});
  EXPECT_EQ(RepositoryLink(options, {"cart", "1.2", "/build/shop/src/cart.cc", 7}),
            "https://git.example/shop/blob/v1.2/src/cart.cc#L7");
  EXPECT_EQ(RepositoryLink(options, {"cart", "1.2", "src/a b#c.cc", 0}),
            "https://git.example/shop/blob/v1.2/src/a%20b%23c.cc#L1");
  EXPECT_EQ(RepositoryLink(options, {"cart", "", "src/cart.cc", 7}), "") << "which version?";
  EXPECT_EQ(RepositoryLink(options, {"cart", "1", "../../etc/x.cc", 7}), "");
  EXPECT_EQ(RepositoryLink(options, {"cart", "1", "", 7}), "");
  EXPECT_EQ(RepositoryLink(options, {"cart", "1", "<frozen importlib>", 7}), "");
}

TEST(RepositoryLinkTest, ServiceMayHaveItsOwnRepository) {
  const RepositoryOptions options = Options(
      {"https://git.example/{service}/{path}", "cart=http://other.example/{path}?v={version}"});
  EXPECT_EQ(RepositoryLink(options, {"cart", "v1/x", "a.cc", 7}),
            "http://other.example/a.cc?v=v1/x");
  EXPECT_EQ(RepositoryLink(options, {"pay", "", "a.cc", 7}), "https://git.example/pay/a.cc");
  EXPECT_EQ(RepositoryLink(options, {"", "", "a.cc", 7}), "");
  EXPECT_EQ(RepositoryLink({}, {"cart", "1", "a.cc", 7}), "");
}

TEST(RepositoryLinkTest, RejectsAnInvalidTemplate) {
  for (const char* text : {"", "cart", "ftp://x/{path}", "cart=git.example/{path}", "https://x/y",
                           "https://x/{path}/{commit}", "https://x/{path}{", "javascript:{path}"})
    EXPECT_EQ(ParseRepositoryTemplate(text).status().code(), absl::StatusCode::kInvalidArgument)
        << text;
  const auto query = ParseRepositoryTemplate("https://x/?path={path}");
  ASSERT_TRUE(query.ok());
  EXPECT_EQ(query->service, "") << "the equals sign is the URL's";
}

}  // namespace
}  // namespace flarestack::source
