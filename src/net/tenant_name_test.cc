// SPDX-License-Identifier: Apache-2.0
#include "net/tenant_name.h"

#include <gtest/gtest.h>

#include <string>

namespace flarestack::net {
namespace {

TEST(TenantName, AcceptsSafeDirectoryNames) {
  for (const std::string& name :
       {std::string("a"), std::string("shop-1_eu.west"), std::string("!-_.*'()"),
        std::string("..."), std::string(".a"), std::string(150, 'x')})
    EXPECT_TRUE(CheckTenantName(name).ok()) << name;
}

TEST(TenantName, RejectsEverythingElse) {
  using namespace std::string_literals;
  for (const std::string& name :
       {""s, "."s, ".."s, "../x"s, "a/b"s, "a\\b"s, "a b"s, "a\tb"s, "a\nb"s, "a\0b"s, "a\x7f"s,
        "a|b"s, "a,b"s, "a@b"s, "\xc3\xa9"s, "%2e%2e"s, std::string(151, 'x')}) {
    EXPECT_EQ(CheckTenantName(name).code(), absl::StatusCode::kInvalidArgument) << name;
  }
}

}  // namespace
}  // namespace flarestack::net
