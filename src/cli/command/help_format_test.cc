// SPDX-License-Identifier: Apache-2.0
#include "cli/command/help_format.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command/usage_error.h"

namespace flarestack::cli {
namespace {

TEST(HelpFormatTest, ShowsOneWordPerValueAndTheDefaultLast) {
  CLI::App app("functions by cost", "flarestack top");
  app.formatter(std::make_shared<HelpFormat>());
  app.set_help_flag("-h,--help", "show this help");
  uint64_t rows = 20;
  uint64_t bytes = 0;
  std::string directory = "/data";
  std::string level;
  std::vector<std::string> paths;
  bool opens = true;
  app.add_option("PATH", paths, "profiles in any format");
  app.add_option("-n,--nodecount", rows, "rows to show")
      ->check(CLI::Range(1, 9))
      ->capture_default_str();
  app.add_option("--max-bytes", bytes, "input size")->transform(CLI::AsSizeValue(false));
  app.add_option("--data-dir", directory, "data directory")->capture_default_str();
  app.add_flag("!--no-open", opens, "do not open a browser");
  app.add_option("--log-level", level,
                 "a description that is so long that it does not fit into the columns that are "
                 "left on one line")
      ->check(OneOf({"info", "off"}))
      ->envname("LEVEL")
      ->group("Other");
  app.footer("Examples:\n  flarestack top x");
  EXPECT_EQ(app.help(), R"(flarestack top: functions by cost
Usage: flarestack top [FLAGS] [PATH...]

Arguments:
  PATH                      profiles in any format

Options:
  -h, --help                show this help
  -n, --nodecount N         rows to show (default 20)
  --max-bytes SIZE          input size
  --data-dir DIR            data directory (default /data)
  --no-open                 do not open a browser

Other:
  --log-level LEVEL         a description that is so long that it does not fit into the columns that
                            are left on one line (or $LEVEL)

Examples:
  flarestack top x
)");
}

TEST(HelpFormatTest, ListsVerbs) {
  CLI::App app("manage tokens", "flarestack auth");
  app.formatter(std::make_shared<HelpFormat>());
  app.add_subcommand("add", "add a token");
  app.add_subcommand("ls", "list them");
  app.require_subcommand(1);
  EXPECT_EQ(app.help(), R"(flarestack auth: manage tokens
Usage: flarestack auth [FLAGS] VERB

Options:
  -h, --help                Print this help message and exit

Verbs:
  add                       add a token
  ls                        list them
)");
}

}  // namespace
}  // namespace flarestack::cli
