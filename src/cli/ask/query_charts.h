// SPDX-License-Identifier: Apache-2.0
//
// Time series as a table: for people one row per line with a small chart, for programs one row per
// point.
#pragma once

#include <functional>
#include <string>

#include "cli/ask/query_responses.h"

namespace flarestack::cli {

struct Chart {
  const Json& lines;
  std::string key;   // the member with the attributes that identify a line
  std::string rest;  // the member that marks the line with the remainder
  int64_t from = 0;  // nanoseconds since the epoch
  int64_t step = 0;  // nanoseconds
  std::string headline;
  std::function<std::string(double)> value_text;
};

QueryTable ChartTable(const Chart& chart, TableFor reader);

}  // namespace flarestack::cli
