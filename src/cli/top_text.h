// SPDX-License-Identifier: Apache-2.0
//
// The functions that cost most, as a table for people.
#pragma once

#include <string>
#include <vector>

#include "query/stack_set.h"
#include "query/top.h"

namespace flarestack::cli {

// The first `shown` rows, below a headline.
std::string TopText(const std::string& headline, const query::StackSet& set,
                    const std::vector<query::TopRow>& rows, size_t shown);

}  // namespace flarestack::cli
