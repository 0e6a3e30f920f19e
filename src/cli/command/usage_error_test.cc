// SPDX-License-Identifier: Apache-2.0
#include "cli/command/usage_error.h"

#include <gtest/gtest.h>

#include <string>

namespace flarestack::cli {
namespace {

enum class Order { kSelf, kTotal };

class UsageErrorTest : public ::testing::Test {
 protected:
  UsageErrorTest() {
    app_.add_option("-n,--nodecount", rows_, "rows");
    app_.add_option("--sort", order_, "order")
        ->transform(
            OneOf(std::map<std::string, Order>{{"self", Order::kSelf}, {"total", Order::kTotal}}));
    app_.add_option("--mode", mode_, "mode")->check(OneOf({"auto", "none"}));
    app_.add_subcommand("stats", "a verb");
  }

  // "what | why"; empty if the command line is valid.
  std::string Parse(const std::string& line) {
    try {
      app_.parse(line, false);
    } catch (const CLI::ParseError& error) {
      const Failure failure = ExplainUsageError(error, app_, "top");
      EXPECT_EQ(failure.next, "flarestack help top");
      return failure.what + " | " + failure.why;
    }
    return "";
  }

  CLI::App app_;
  int rows_ = 0;
  Order order_ = Order::kSelf;
  std::string mode_;
};

TEST_F(UsageErrorTest, SuggestsTheClosestFlagOrVerb) {
  EXPECT_EQ(Parse("--srot self"), "unknown flag \"--srot\" | did you mean --sort?");
  EXPECT_EQ(Parse("--nodecuont=3"), "unknown flag \"--nodecuont\" | did you mean --nodecount?");
  EXPECT_EQ(Parse("--colour"), "unknown flag \"--colour\" | see the flags of top");
  EXPECT_EQ(Parse("stat"), "unexpected argument \"stat\" | did you mean stats?");
}

TEST_F(UsageErrorTest, ListsTheWordsThatAFlagAccepts) {
  EXPECT_EQ(Parse("--sort total --mode none"), "");
  EXPECT_EQ(order_, Order::kTotal);
  EXPECT_EQ(Parse("--sort size"),
            "--sort: \"size\" is not one of self, total | see the flags of top");
  EXPECT_EQ(Parse("--mode x"), "--mode: \"x\" is not one of auto, none | see the flags of top");
}

TEST_F(UsageErrorTest, ExplainsWhatAValueMustBe) {
  EXPECT_EQ(Parse("-n many"), "--nodecount: \"many\" is not a number | see the flags of top");
  EXPECT_EQ(Parse("--mode"), "--mode needs a value | see the flags of top");
}

TEST(UnknownCommandTest, SuggestsTheClosestCommand) {
  EXPECT_EQ(UnknownCommand("flme").why, "did you mean flame?");
  EXPECT_EQ(UnknownCommand("xyzzy").why, "flarestack help lists all commands");
}

}  // namespace
}  // namespace flarestack::cli
