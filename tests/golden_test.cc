// SPDX-License-Identifier: Apache-2.0
//
// One test per file of tests/golden: a command line, its input, and the expected output.
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
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "run_program.h"

namespace flarestack::testing {
namespace {

constexpr std::string_view kFileMark = "====";
constexpr std::string_view kOutputMark = "----";

struct Golden {
  std::string head;  // everything up to and including the first "----" line
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> files;  // name, content; no name: standard input
  std::string expected;
};

std::vector<std::string> Words(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

Golden ReadGolden(const std::string& path) {
  Golden golden;
  std::istringstream in(ReadWhole(path));
  std::string line;
  while (std::getline(in, line)) {
    golden.head += line + "\n";
    if (line == kOutputMark)
      break;
    if (golden.words.empty()) {
      if (!line.starts_with("#") && !line.empty())
        golden.words = Words(line);
    } else if (line.starts_with(kFileMark)) {
      golden.files.emplace_back(line.size() > 5 ? line.substr(5) : "", "");
    } else {
      if (golden.files.empty())
        golden.files.emplace_back();
      golden.files.back().second += line + "\n";
    }
  }
  golden.expected.assign(std::istreambuf_iterator<char>(in), {});
  return golden;
}

std::string OutcomeOf(const Golden& golden) {
  const TemporaryFolder folder;
  RunOptions options = {.directory = folder.path()};
  for (const auto& [name, content] : golden.files) {
    if (name.empty()) {
      options.input = content;
    } else {
      folder.Write(name, content);
    }
  }
  const RunResult run = Flarestack(golden.words, options);
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

std::string GoldenFolder() { return std::string(FLARESTACK_TESTDATA) + "/../tests/golden"; }

std::vector<std::string> GoldenNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(GoldenFolder())) {
    if (entry.path().extension() == ".txt")
      names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class GoldenTest : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenTest, OutputMatchesTheFile) {
  const std::string path = GoldenFolder() + "/" + GetParam() + ".txt";
  const Golden golden = ReadGolden(path);
  ASSERT_FALSE(golden.words.empty()) << path << " has no command line";
  const std::string actual = OutcomeOf(golden);
  if (std::getenv("FLARESTACK_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << golden.head << actual;
    return;
  }
  EXPECT_EQ(actual, golden.expected) << "in " << path;
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenTest, ::testing::ValuesIn(GoldenNames()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace flarestack::testing
