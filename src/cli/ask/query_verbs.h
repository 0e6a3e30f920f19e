// SPDX-License-Identifier: Apache-2.0
//
// What can be asked of a server by `flarestack query`: a row for each verb, from which flags, the
// question and the table come.
#pragma once

#include <span>
#include <string_view>

#include "cli/ask/query_answers.h"

namespace flarestack::cli {

// A flag that is handed on to the server.
struct QueryFlag {
  std::string_view flag;       // "--min-duration"
  std::string_view parameter;  // "min_duration"
  std::string_view type_name;  // empty: a switch, whose parameter is then 1
  std::string_view help;
  bool may_repeat = false;
};

// An endpoint, and how its answers are shown.
struct QueryForm {
  std::string_view path = {};                  // empty: the verb has no such form
  std::string_view argument_parameter = {};    // empty: the argument is the end of the path
  std::string_view limit_parameter = "limit";  // what --limit is called there
  QueryTable (*table)(const Json&, TableFor) = nullptr;  // nothing: bytes for a file
};

struct QueryVerb {
  std::string_view name;
  std::string_view summary;
  std::string_view example;
  QueryForm plain;                      // without an argument
  QueryForm with_argument = {};         // with one
  std::string_view argument_name = {};  // "NAME"
  std::string_view argument_help = {};
  std::span<const QueryFlag> flags = {};
  std::string_view page = {};  // that shows the same; with a slash at its end, the argument follows
};

std::span<const QueryVerb> QueryVerbs();

}  // namespace flarestack::cli
