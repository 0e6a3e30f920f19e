// SPDX-License-Identifier: Apache-2.0
#include "cli/command/usage_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text/text.h"
#include "cli/command/closest_word.h"
#include "cli/command/command.h"

namespace flarestack::cli {
namespace {

std::string DidYouMean(const std::string& closest) {
  return closest.empty() ? "" : base::StrCat("did you mean ", closest, "?");
}

// The flags and verbs that are valid in place of `word`.
std::vector<std::string> Candidates(const CLI::App& app, std::string_view word) {
  std::vector<std::string> names;
  const bool is_flag = word.starts_with("-");
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (is_flag)
        names.push_back("--" + name);
    }
  }
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!is_flag)
      names.push_back(verb->get_name());
    const std::vector<std::string> inner = Candidates(*verb, word);
    names.insert(names.end(), inner.begin(), inner.end());
  }
  return names;
}

// The text between `before` and `after`; empty if they are missing.
std::string_view Between(std::string_view text, std::string_view before, std::string_view after) {
  const size_t begin = text.find(before);
  if (begin == std::string_view::npos)
    return "";
  text.remove_prefix(begin + before.size());
  return after.empty() ? text : text.substr(0, text.find(after));
}

// CLI11 provides only its text, so parse that.
std::string Reworded(const CLI::ParseError& error) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    const std::string_view flag = Between(text, "Could not convert: ", " = ");
    if (!flag.empty())
      return fmt::format("{}: \"{}\" is not a number", flag, Between(text, " = ", ""));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const size_t missing = text.find(": 1 required ");
    if (missing != std::string::npos)
      return text.substr(0, missing) + " needs a value";
  }
  return text;
}

}  // namespace

Failure ExplainUsageError(const CLI::ParseError& error, const CLI::App& app,
                          std::string_view command) {
  const std::string see = fmt::format("see the flags of {}", command);
  const std::string help = fmt::format("flarestack help {}", command);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr)
    return {Reworded(error), see, help};
  const std::vector<std::string> extras = app.remaining(true);
  if (extras.empty())
    return {Reworded(error), see, help};
  const std::string word = extras.front().substr(0, extras.front().find('='));
  const std::string hint = DidYouMean(ClosestWord(word, Candidates(app, word)));
  return {fmt::format("{} \"{}\"", word.starts_with("-") ? "unknown flag" : "unexpected argument",
                      word),
          hint.empty() ? see : hint, help};
}

Failure UnknownCommand(std::string_view name) {
  std::vector<std::string> names;
  for (const CommandEntry& entry : Commands())
    names.emplace_back(entry.name);
  const std::string hint = DidYouMean(ClosestWord(name, names));
  return {fmt::format("unknown command \"{}\"", name),
          hint.empty() ? "flarestack help lists all commands" : hint, "flarestack help"};
}

std::string NotOneOf(std::string_view word, std::string_view words) {
  return fmt::format("\"{}\" is not one of {}", word, words);
}

CLI::Validator OneOf(std::initializer_list<std::string_view> words) {
  std::vector<std::string> known(words.begin(), words.end());
  return CLI::Validator(
      [known = std::move(known)](std::string& word) -> std::string {
        if (std::ranges::find(known, word) != known.end())
          return "";
        return NotOneOf(word, fmt::format("{}", fmt::join(known, ", ")));
      },
      "", "word");
}

}  // namespace flarestack::cli
