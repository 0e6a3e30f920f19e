// SPDX-License-Identifier: Apache-2.0
//
// The costliest functions, as a table for people.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "query/reports/top.h"
#include "query/stacks/stack_set.h"

namespace flarestack::cli {

struct TopTextSize {
  size_t rows = 0;   // to show
  size_t width = 0;  // 0: full names
};

// A headline and the first rows.
std::string TopText(const std::string& headline, const query::StackSet& set,
                    const std::vector<query::TopRow>& rows, const TopTextSize& size);

}  // namespace flarestack::cli
