// SPDX-License-Identifier: Apache-2.0
#include "net/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"

namespace flarestack::net {
namespace {

TEST(AddressTest, ParsesTheCommonForms) {
  EXPECT_EQ(*ParseAddress("127.0.0.1:4317"), (Address{"127.0.0.1", 4317}));
  EXPECT_EQ(*ParseAddress("localhost:0"), (Address{"localhost", 0}));
  EXPECT_EQ(*ParseAddress("[::1]:65535"), (Address{"::1", 65535}));
  EXPECT_EQ(*ParseAddress("[fe80::1%eth0]:1"), (Address{"fe80::1%eth0", 1}));
  EXPECT_EQ(*ParseAddress(":4317"), (Address{"", 4317}));
}

TEST(AddressTest, ParsedAddressPrintsTheSame) {
  for (const char* text : {"127.0.0.1:4317", "[::1]:1", ":80", "example.com:443"})
    EXPECT_EQ(ToString(*ParseAddress(text)), text);
}

TEST(AddressTest, RejectsOtherTextAndNamesIt) {
  for (const char* text : {"", "4317", "localhost", "localhost:", "localhost:65536", "localhost:-1",
                           "localhost:1x", "::1:4317", "[::1]", "[::1]4317", "[::1", "[]:1",
                           "[localhost]:1", "a b:1", "a/b:1", "host: 1", "[::1]:1:2"}) {
    const auto address = ParseAddress(text);
    ASSERT_FALSE(address.ok()) << text;
    EXPECT_THAT(std::string(base::Message(address.status())), ::testing::HasSubstr(text));
  }
}

TEST(AddressTest, RecognisesLoopbackAddresses) {
  for (const char* text : {"127.0.0.1:1", "127.255.0.9:1", "[::1]:1", "localhost:1", "LocalHost:1",
                           "[::ffff:127.0.0.1]:1"})
    EXPECT_TRUE(IsLoopback(*ParseAddress(text))) << text;
  for (const char* text : {":1", "0.0.0.0:1", "[::]:1", "128.0.0.1:1", "example.com:1",
                           "localhost.example.com:1", "[::ffff:10.0.0.1]:1"})
    EXPECT_FALSE(IsLoopback(*ParseAddress(text))) << text;
}

}  // namespace
}  // namespace flarestack::net
