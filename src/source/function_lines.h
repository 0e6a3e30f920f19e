// SPDX-License-Identifier: Apache-2.0
//
// Where a function begins and ends, as far as the indentation of its file shows it.
#pragma once

#include <cstdint>

#include "source/source_file.h"

namespace flarestack::source {

struct LineRange {
  int64_t first = 0;
  int64_t last = 0;
};

// The function around `known`, lines that are surely in it. `start` is its first line where the
// profile has it, else 0. A few lines around `known` where the indentation shows no function.
LineRange FunctionAround(const SourceFile& file, LineRange known, int64_t start);

}  // namespace flarestack::source
