// SPDX-License-Identifier: Apache-2.0
//
// The verbs of `flarestack query`. Each row defines the flags, the request and the table.
#pragma once

#include <span>
#include <string_view>

#include "cli/ask/query_responses.h"

namespace flarestack::cli {

// A flag that is passed on to the server.
struct QueryFlag {
  std::string_view flag;       // "--min-duration"
  std::string_view parameter;  // "min_duration"
  std::string_view type_name;  // empty: a switch, whose parameter is 1
  std::string_view help;
  bool may_repeat = false;
};

// An endpoint, and how to print its responses.
struct QueryForm {
  std::string_view path = {};                  // empty: the verb has no such form
  std::string_view argument_parameter = {};    // empty: the argument is appended to the path
  std::string_view limit_parameter = "limit";  // API parameter of --limit
  QueryTable (*table)(const Json&, TableFor) = nullptr;  // null: bytes for a file
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
  // shows the same data; if it ends with a slash, the argument is appended
  std::string_view page = {};
};

std::span<const QueryVerb> QueryVerbs();

}  // namespace flarestack::cli
