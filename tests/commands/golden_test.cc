// SPDX-License-Identifier: Apache-2.0
//
// One test per file of tests/golden/commands: a command line, its input, and the expected output.
//
//   # What this shows.
//   convert a.folded - - --to folded      run in a folder of its own
//   ==== a.folded                         a file there; without such a line: standard input
//   main;run 3
//   ====                                  standard input
//   main;run 4
//   ----
//   main;run 7                            standard output, a carriage return as \r
//   ---- error                            standard error, where there is any
//   ---- exit 1                           the exit code, where it is not 0
//
// FLARESTACK_UPDATE_GOLDEN=1 writes the actual output to the files.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "support/golden_file.h"
#include "support/run_program.h"

namespace flarestack::testing {
namespace {

constexpr std::string_view kFileMark = "====";
constexpr std::string_view kOutputMark = "----";

struct CommandLine {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> files;  // name, content; no name: standard input
};

std::vector<std::string> Words(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

CommandLine ParseCommandLine(const std::string& head) {
  CommandLine command;
  std::istringstream in(head);
  std::string line;
  while (std::getline(in, line) && line != kOutputMark) {
    if (command.words.empty()) {
      if (!line.starts_with("#") && !line.empty())
        command.words = Words(line);
    } else if (line.starts_with(kFileMark)) {
      command.files.emplace_back(line.size() > 5 ? line.substr(5) : "", "");
    } else {
      if (command.files.empty())
        command.files.emplace_back();
      command.files.back().second += line + "\n";
    }
  }
  return command;
}

std::string OutcomeOf(const CommandLine& command) {
  const TemporaryFolder folder;
  RunOptions options = {.directory = folder.path()};
  for (const auto& [name, content] : command.files) {
    if (name.empty()) {
      options.input = content;
    } else {
      folder.Write(name, content);
    }
  }
  const RunResult run = Flarestack(command.words, options);
  std::string text;
  for (const char c : run.out) {
    if (c == '\r') {
      text += "\\r";
    } else {
      text += c;
    }
  }
  if (!text.empty() && !text.ends_with("\n"))
    text += "\n";
  if (!run.error.empty())
    text += "---- error\n" + run.error;
  if (run.exit_code != 0)
    text += "---- exit " + std::to_string(run.exit_code) + "\n";
  return text;
}

class GoldenTest : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenTest, OutputMatchesTheFile) {
  const GoldenFile golden = ReadGoldenFile("commands", GetParam());
  const CommandLine command = ParseCommandLine(golden.head);
  ASSERT_FALSE(command.words.empty()) << golden.path << " has no command line";
  ExpectGolden(golden, OutcomeOf(command));
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenTest, ::testing::ValuesIn(GoldenNames("commands")),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '/', '_');
                           return name;
                         });

}  // namespace
}  // namespace flarestack::testing
