// SPDX-License-Identifier: Apache-2.0
//
// Rewords errors of the command line parser.
#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "cli/command/failure.h"

namespace flarestack::cli {

// `command` is the name for `flarestack help`.
Failure ExplainUsageError(const CLI::ParseError& error, const CLI::App& app,
                          std::string_view command);

Failure UnknownCommand(std::string_view name);

// A flag's value must be one of these words.
CLI::Validator OneOf(std::initializer_list<std::string_view> words);

// The same for an enum: maps each word to a value. Use it with transform().
template <typename Enum>
CLI::Validator OneOf(std::map<std::string, Enum> values);

// --- implementation ---

std::string NotOneOf(std::string_view word, std::string_view words);

template <typename Enum>
CLI::Validator OneOf(std::map<std::string, Enum> values) {
  std::string words;
  for (const auto& [word, value] : values)
    words += (words.empty() ? "" : ", ") + word;
  return CLI::Validator(
      [values = std::move(values), words = std::move(words)](std::string& word) -> std::string {
        const auto found = values.find(word);
        if (found == values.end())
          return NotOneOf(word, words);
        word = std::to_string(static_cast<int>(found->second));
        return "";
      },
      "", "word");
}

}  // namespace flarestack::cli
