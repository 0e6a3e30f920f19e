// SPDX-License-Identifier: Apache-2.0
#include "golden_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "run_program.h"

namespace flarestack::testing {
namespace {

std::filesystem::path GoldenFolder(const std::string& folder) {
  return std::filesystem::path(FLARESTACK_TESTDATA) / "../tests/golden" / folder;
}

}  // namespace

std::vector<std::string> GoldenNames(const std::string& folder) {
  std::vector<std::string> names;
  const std::filesystem::path root = GoldenFolder(folder);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".txt")
      names.push_back(entry.path().lexically_relative(root).replace_extension().string());
  }
  std::ranges::sort(names);
  return names;
}

GoldenFile ReadGoldenFile(const std::string& folder, const std::string& name) {
  constexpr std::string_view kMark = "\n----\n";
  GoldenFile golden = {.path = GoldenFolder(folder) / (name + ".txt"), .head = {}, .expected = {}};
  const std::string text = ReadWhole(golden.path);
  const size_t mark = text.find(kMark);
  if (mark == std::string::npos) {
    ADD_FAILURE() << golden.path << " has no line ----";
    return golden;
  }
  golden.head = text.substr(0, mark + kMark.size());
  golden.expected = text.substr(mark + kMark.size());
  return golden;
}

void ExpectGolden(const GoldenFile& golden, const std::string& actual) {
  if (std::getenv("FLARESTACK_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(golden.path) << golden.head << actual;
    return;
  }
  EXPECT_EQ(actual, golden.expected) << "in " << golden.path;
}

}  // namespace flarestack::testing
