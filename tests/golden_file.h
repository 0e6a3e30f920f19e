// SPDX-License-Identifier: Apache-2.0
//
// The files below tests/golden: a question, a line "----", and the whole expected answer. Each test
// has its own folder of them, and its own kind of question.
#pragma once

#include <string>
#include <vector>

namespace flarestack::testing {

struct GoldenFile {
  std::string path;
  std::string head;  // everything up to and including the first "----" line
  std::string expected;
};

// `folder` is below tests/golden; empty for that folder itself. The names are sorted, without
// ".txt".
std::vector<std::string> GoldenNames(const std::string& folder);

// A file without a "----" line fails the test.
GoldenFile ReadGoldenFile(const std::string& folder, const std::string& name);

// Compares; or, with FLARESTACK_UPDATE_GOLDEN=1, writes the actual answer to the file.
void ExpectGolden(const GoldenFile& golden, const std::string& actual);

}  // namespace flarestack::testing
