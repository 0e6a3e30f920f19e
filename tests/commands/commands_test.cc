// SPDX-License-Identifier: Apache-2.0
//
// The command line: help, version, completion, and errors of usage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/command/command.h"
#include "codec/registry.h"
#include "nlohmann/json.hpp"
#include "server/ui/formats.h"
#include "support/run_program.h"

namespace flarestack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST(CommandsTest, EveryCommandIsListedAndHasAnExample) {
  const RunResult overview = Flarestack({"help"});
  EXPECT_EQ(overview.exit_code, 0);
  EXPECT_EQ(Flarestack({"--help"}).out, overview.out);
  for (const cli::CommandEntry& entry : cli::Commands()) {
    const std::string name(entry.name);
    EXPECT_THAT(overview.out, HasSubstr("  " + name + " "));
    const RunResult help = Flarestack({"help", name});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_EQ(help.error, "");
    EXPECT_THAT(help.out, HasSubstr("Example"));
    EXPECT_THAT(help.out, HasSubstr("flarestack " + name));
    EXPECT_EQ(Flarestack({name, "--help"}).out, help.out);
  }
}

TEST(CommandsTest, PrintsFourLinesOfGuidanceWithoutACommand) {
  const RunResult alone = Flarestack({});
  EXPECT_EQ(alone.exit_code, 0);
  EXPECT_EQ(std::ranges::count(alone.out, '\n'), 4);
  for (const char* const way :
       {"flarestack help", "flarestack demo", "flarestack record -- ", "flarestack serve", "up"})
    EXPECT_THAT(alone.out, HasSubstr(way));
}

TEST(CommandsTest, ConvertHelpListsEveryFormat) {
  const std::string help = Flarestack({"help", "convert"}).out;
  for (const codec::Reader* reader : codec::Readers())
    EXPECT_THAT(help, HasSubstr(std::string(reader->name)));
  for (const codec::Writer* writer : server::Writers()) {
    for (const std::string_view extension : writer->extensions)
      EXPECT_THAT(help, HasSubstr(std::string(extension)));
  }
}

TEST(CommandsTest, VersionIsOneLineOrOneObject) {
  const RunResult text = Flarestack({"version"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.out, MatchesRegex("flarestack [0-9]+\\.[0-9]+\\.[0-9]+ [^\n]*\n"));
  EXPECT_EQ(Flarestack({"--version"}).out, text.out);
  const auto json = nlohmann::json::parse(Flarestack({"version", "--json"}).out);
  EXPECT_EQ(json["schema"], "flarestack.version/1");
  EXPECT_THAT(text.out, HasSubstr(json["version"].get<std::string>()));
}

TEST(CommandsTest, BadCommandLineExitsWith2AndThreeLines) {
  const std::string example = Example("checkout.folded");
  const std::vector<std::vector<std::string>> wrong = {
      {"frobnicate"},
      {"help", "frobnicate"},
      {"convert"},
      {"convert", "only-one.pb.gz"},
      {"convert", "--frobnicate", example, "out.svg"},
      {"convert", example, "out.unknown"},
      {"convert", example, "-"},
      {"convert", "--to", "frobnicate", example, "out.svg"},
      {"convert", "--max-bytes", "many", example, "out.svg"},
      {"convert", "--max-bytes", "-1", example, "out.svg"},
      {"convert", "--max-bytes", "99999999999999999999", example, "out.svg"},
      {"convert", "--progress", "sometimes", example, "out.svg"},
      {"convert", "-", "-", "out.svg"},
      {"completion"},
      {"completion", "tcsh"},
      {"version", "--frobnicate"},
  };
  for (const std::vector<std::string>& words : wrong) {
    const TemporaryFolder folder;
    const RunResult run = Flarestack(words, {.input = "main 1\n", .directory = folder.path()});
    SCOPED_TRACE(::testing::PrintToString(words));
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.error, MatchesRegex("flarestack: [^\n]+\n  [^\n]+\n  try: [^\n]+\n"));
    EXPECT_EQ(folder.Listing(), "");
  }
}

TEST(CommandsTest, CompletesCommandsFlagsAndFormats) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const RunResult run = Flarestack({"completion", shell});
    EXPECT_EQ(run.exit_code, 0);
    for (const cli::CommandEntry& entry : cli::Commands())
      EXPECT_THAT(run.out, HasSubstr(std::string(entry.name))) << shell;
    for (const char* word : {"speedscope", "max-bytes", "no-interpreter", "ndjson", "perf-script"})
      EXPECT_THAT(run.out, HasSubstr(word)) << shell;
  }
}

// Runs the script in bash.
TEST(CommandsTest, CompletesTheValuesOfAFlag) {
  const TemporaryFolder folder;
  const std::string script = folder.Write("completion", Flarestack({"completion", "bash"}).out);
  const auto offered = [&](const std::string& words, int count) {
    return RunProgram({"/bin/bash", "-c",
                       "source " + script + "; COMP_WORDS=(" + words + "); COMP_CWORD=" +
                           std::to_string(count) + "; _flarestack; echo ${COMPREPLY[@]}"})
        .out;
  };
  EXPECT_EQ(offered("flarestack top --sort c", 3), "cum\n");
  EXPECT_EQ(offered("flarestack diff --norm r", 3), "rate request\n");
  EXPECT_EQ(offered("flarestack convert --to sv", 3), "svg\n");
  EXPECT_EQ(offered("flarestack convert --from f", 3), "folded\n");
  EXPECT_EQ(offered("flarestack top --preset g", 3), "gc\n");
  EXPECT_EQ(offered("flarestack top --all-f", 2), "--all-frames\n");
}

// Checks that a shell parses its script. Skips a shell that is not installed.
void ExpectParses(const std::string& shell, const std::string& flag) {
  const std::string path = "/bin/" + shell;
  if (access(path.c_str(), X_OK) != 0)
    return;
  const TemporaryFolder folder;
  const std::string script = folder.Write("script", Flarestack({"completion", shell}).out);
  const RunResult run = RunProgram({path, flag, script});
  EXPECT_EQ(run.exit_code, 0) << shell << ": " << run.error;
}

TEST(CommandsTest, ShellsAcceptTheirScripts) {
  ExpectParses("bash", "-n");
  ExpectParses("zsh", "-n");
  ExpectParses("fish", "-n");
}

TEST(CommandsTest, BashCompletesCommandsAndFormats) {
  if (access("/bin/bash", X_OK) != 0)
    GTEST_SKIP() << "bash is not installed";
  const TemporaryFolder folder;
  folder.Write("script", Flarestack({"completion", "bash"}).out);
  const auto complete = [&](const std::string& words, const std::string& position) {
    return RunProgram({"/bin/bash", "--norc", "-c",
                       "source " + folder.File("script") + "; COMP_WORDS=(" + words +
                           "); COMP_CWORD=" + position + "; _flarestack; echo ${COMPREPLY[@]}"})
        .out;
  };
  EXPECT_EQ(complete("flarestack conv", "1"), "convert\n");
  EXPECT_EQ(complete("flarestack convert --to sp", "3"), "speedscope\n");
  EXPECT_EQ(complete("flarestack convert --ma", "2"), "--max-bytes\n");
  EXPECT_EQ(complete("flarestack completion z", "2"), "zsh\n");
}

TEST(CommandsTest, EveryCommandFailsIfItsOutputCannotBeWritten) {
  const std::vector<std::vector<std::string>> commands = {
      {"version"}, {"help"}, {"help", "convert"}, {"completion", "bash"}};
  for (const std::vector<std::string>& words : commands) {
    const RunResult run = Flarestack(words, {.output_path = "/dev/full"});
    EXPECT_EQ(run.exit_code, 1) << words[0];
  }
}

}  // namespace
}  // namespace flarestack::testing
