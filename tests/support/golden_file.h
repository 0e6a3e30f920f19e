// SPDX-License-Identifier: Apache-2.0
//
// Golden files below tests/golden: the input of a test, a line "----", and its complete expected
// output. Each test has its own folder and its own form of input.
#pragma once

#include <string>
#include <vector>

namespace flarestack::testing {

struct GoldenFile {
  std::string path;
  std::string head;  // everything up to and including the first "----" line
  std::string expected;
};

// Returns the sorted names, without ".txt". `folder` is relative to tests/golden and may be empty.
std::vector<std::string> GoldenNames(const std::string& folder);

// A file without a "----" line fails the test.
GoldenFile ReadGoldenFile(const std::string& folder, const std::string& name);

// Compares the output, or writes it to the file if FLARESTACK_UPDATE_GOLDEN=1.
void ExpectGolden(const GoldenFile& golden, const std::string& actual);

}  // namespace flarestack::testing
