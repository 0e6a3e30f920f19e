// SPDX-License-Identifier: Apache-2.0
//
// Lines over time as a table: a row with a small chart for people, a row for each point for
// programs.
#pragma once

#include <functional>
#include <string>

#include "cli/ask/query_answers.h"

namespace flarestack::cli {

struct Chart {
  const Json& lines;
  std::string key;   // the member of a line with the attributes that name it
  std::string rest;  // the member that says that the line is what is left over
  int64_t from = 0;  // nanoseconds since the epoch
  int64_t step = 0;  // nanoseconds
  std::string headline;
  std::function<std::string(double)> value_text;
};

QueryTable ChartTable(const Chart& chart, TableFor reader);

}  // namespace flarestack::cli
