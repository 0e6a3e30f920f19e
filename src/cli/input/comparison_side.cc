// SPDX-License-Identifier: Apache-2.0
#include "cli/input/comparison_side.h"

#include <fmt/format.h>

#include <filesystem>

namespace flarestack::cli {
namespace {

struct Version {
  std::string_view service;  // empty: not of this form
  std::string_view version;
};

Version SplitVersion(std::string_view side) {
  const size_t at = side.rfind('@');
  if (at == std::string_view::npos || at == 0 || at + 1 == side.size())
    return {};
  return {side.substr(0, at), side.substr(at + 1)};
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

// The text between the braces. Text without braces is returned as is; the server rejects it.
std::string_view Conditions(std::string_view selector) {
  constexpr std::string_view kSpace = " \t\n";
  const auto trim = [&](std::string_view text) {
    const size_t begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos)
      return std::string_view();
    return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
  };
  selector = trim(selector);
  if (selector.size() >= 2 && selector.starts_with('{') && selector.ends_with('}'))
    selector = trim(selector.substr(1, selector.size() - 2));
  return selector;
}

}  // namespace

bool IsServerSide(const std::string& side) {
  if (side.starts_with('{'))
    return true;
  std::error_code error;
  return !SplitVersion(side).service.empty() && !std::filesystem::exists(side, error);
}

std::string SelectorOf(std::string_view common, std::string_view side) {
  std::string own(Conditions(side));
  const Version version = SplitVersion(side);
  if (!side.starts_with('{') && !version.service.empty()) {
    own = fmt::format("service.name={},service.version={}", Quoted(version.service),
                      Quoted(version.version));
  }
  const std::string_view shared = Conditions(common);
  return fmt::format("{{{}{}{}}}", shared, shared.empty() || own.empty() ? "" : ",", own);
}

}  // namespace flarestack::cli
