// SPDX-License-Identifier: Apache-2.0
//
// Finds where a function begins and ends, judging by the indentation of its file.
#pragma once

#include <cstdint>

#include "source/source_file.h"

namespace flarestack::source {

struct LineRange {
  int64_t first = 0;
  int64_t last = 0;
};

// Returns the lines of the function around `known`, which are lines certain to be in it. `start` is
// its first line if the profile has it, else 0. If the indentation shows no function, returns a few
// lines around `known`.
LineRange FunctionAround(const SourceFile& file, LineRange known, int64_t start);

}  // namespace flarestack::source
