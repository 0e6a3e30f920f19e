// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/terminal.h"

#include <gtest/gtest.h>

namespace flarestack::cli {
namespace {

constexpr char kName[] =
    "std::vector<std::pair<int, char> > shop::Table<std::string, 3>::Find<int>(int, char) const";

TEST(FitNameTest, KeepsANameThatFits) {
  EXPECT_EQ(FitName(kName, 0), kName);
  EXPECT_EQ(FitName(kName, Columns(kName)), kName);
}

TEST(FitNameTest, DropsArgumentsBeforeTruncatingTheName) {
  EXPECT_EQ(FitName(kName, 60), "shop::Table<std::string, 3>::Find<int>");
  EXPECT_EQ(FitName(kName, 30), "shop::Table<...>::Find<int>");
  EXPECT_EQ(FitName(kName, 12), "shop::Table\u2026");
}

TEST(FitNameTest, TruncatesNamesOfOtherLanguages) {
  EXPECT_EQ(FitName("encoding/json.(*Decoder).Decode", 12), "encoding/js\u2026");
}

}  // namespace
}  // namespace flarestack::cli
