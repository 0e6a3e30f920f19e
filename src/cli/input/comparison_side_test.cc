// SPDX-License-Identifier: Apache-2.0
#include "cli/input/comparison_side.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace flarestack::cli {
namespace {

TEST(ComparisonSideTest, VersionBecomesASelector) {
  EXPECT_EQ(SelectorOf("", "cart@1.4"), R"({service.name="cart",service.version="1.4"})");
  EXPECT_EQ(SelectorOf("", "@shop/cart@2"), R"({service.name="@shop/cart",service.version="2"})");
  EXPECT_EQ(SelectorOf("", "a\"b\\@1"), R"({service.name="a\"b\\",service.version="1"})");
}

TEST(ComparisonSideTest, AddsConditionsOfBothSides) {
  EXPECT_EQ(SelectorOf(R"( {env="x"} )", R"({host="a"})"), R"({env="x",host="a"})");
  EXPECT_EQ(SelectorOf("{}", R"({mail="a@b"})"), R"({mail="a@b"})");
  EXPECT_EQ(SelectorOf(R"({env="x"})", ""), R"({env="x"})");
  EXPECT_EQ(SelectorOf("", "{}"), "{}");
}

TEST(ComparisonSideTest, ExistingFileIsAFile) {
  EXPECT_TRUE(IsServerSide("{}"));
  EXPECT_TRUE(IsServerSide("cart@1.4"));
  for (const char* name : {"", "-", "cart", "cart@", "@1", "cpu.pb.gz"})
    EXPECT_FALSE(IsServerSide(name)) << name;
  const std::string path = ::testing::TempDir() + "/cart@1.4";
  std::ofstream(path) << "main 1\n";
  EXPECT_FALSE(IsServerSide(path));
  EXPECT_TRUE(IsServerSide(path + ".no"));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace flarestack::cli
