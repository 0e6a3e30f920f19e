// SPDX-License-Identifier: Apache-2.0
#include "cli/command/usage_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "cli/command/command.h"

namespace flarestack::cli {
namespace {

constexpr size_t kWordBytesMax = 64;

// Optimal string alignment distance.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    cost[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j)
    cost[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

// The candidate with the fewest edits (insert, delete, replace, swap neighbours); empty if none is
// within a third of the word's length. The first of several wins.
std::string ClosestWord(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() > kWordBytesMax)
    return "";
  size_t best = std::max<size_t>(word.size() / 3, 1) + 1;
  std::string closest;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kWordBytesMax)
      continue;
    if (const size_t distance = EditDistance(word, candidate); distance < best) {
      best = distance;
      closest = candidate;
    }
  }
  return closest;
}

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
