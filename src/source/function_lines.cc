// SPDX-License-Identifier: Apache-2.0
#include "source/function_lines.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>
#include <string_view>

namespace flarestack::source {
namespace {

constexpr int64_t kMargin = 5;
constexpr int64_t kLinesMax = 500;  // scanned before and after the known lines

// Columns before the first character; nullopt for a blank line. A tab counts as one column, because
// the lines of a file are indented consistently.
std::optional<size_t> Indentation(std::string_view line) {
  const size_t start = line.find_first_not_of(" \t");
  return start == std::string_view::npos ? std::nullopt : std::optional(start);
}

bool IsClosing(std::string_view line, size_t indentation) {
  return line[indentation] == '}' || line[indentation] == ')';
}

// C++ labels ("public:", "retry:") and directives may stand at the margin inside a function.
bool IsLabelOrDirective(std::string_view line, size_t indentation) {
  return line[indentation] == '#' ||
         (line.ends_with(':') && line.find('(') == std::string_view::npos);
}

bool HasWord(std::string_view line, std::span<const std::string_view> words) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  return std::ranges::any_of(words, [&](std::string_view word) {
    const size_t at = line.find(word);
    return at != std::string_view::npos && (at == 0 || !is_word(line[at - 1])) &&
           (at + word.size() == line.size() || !is_word(line[at + word.size()]));
  });
}

// True if the line opens a block that contains functions. Such a block is assumed not to be inside
// a function.
bool OpensContainer(std::string_view line) {
  static constexpr auto kWords =
      std::to_array<std::string_view>({"class", "struct", "namespace", "impl", "interface", "trait",
                                       "enum", "module", "package", "extern", "object", "union"});
  const size_t bracket = line.find('(');
  return HasWord(line.substr(0, bracket), kWords);
}

bool OpensFunction(std::string_view line) {
  static constexpr auto kWords =
      std::to_array<std::string_view>({"def", "func", "fn", "fun", "sub", "function"});
  return line.find('(') != std::string_view::npos || HasWord(line, kWords);
}

// Returns the first line of the function that contains `first`. Each line above with less
// indentation opens an enclosing block; the outermost block that can be a function is the function.
std::optional<int64_t> FindStart(const SourceFile& file, int64_t first) {
  std::optional<size_t> inner = Indentation(file.Line(first));
  std::optional<int64_t> start;
  const int64_t top = std::max<int64_t>(1, first - kLinesMax);
  for (int64_t at = first - 1; at >= top && inner.value_or(0) > 0; --at) {
    const std::string_view line = file.Line(at);
    const std::optional<size_t> indentation = Indentation(line);
    if (!indentation.has_value() || *indentation >= *inner ||
        IsLabelOrDirective(line, *indentation))
      continue;
    const std::string_view code = line.substr(*indentation);
    if (code == "{")
      continue;  // the line above opens the block, at the same column
    const bool is_end = code[0] == '}' && !code.ends_with('{');
    if (is_end || OpensContainer(code))
      break;
    if (OpensFunction(code))
      start = at;
    inner = *indentation;
  }
  return start;
}

}  // namespace

LineRange FunctionAround(const SourceFile& file, LineRange known, int64_t start) {
  const LineRange margin = {.first = std::max<int64_t>(1, known.first - kMargin),
                            .last = std::min(known.last + kMargin, file.line_count())};
  if (start < 1 || start > known.first)
    start = FindStart(file, known.first).value_or(0);
  const std::optional<size_t> outer = start > 0 ? Indentation(file.Line(start)) : std::nullopt;
  if (!outer.has_value())
    return margin;
  const int64_t end = std::min(known.last + kLinesMax, file.line_count());
  for (int64_t at = std::max(known.last, start) + 1; at <= end; ++at) {
    const std::string_view line = file.Line(at);
    const std::optional<size_t> indentation = Indentation(line);
    if (!indentation.has_value() || *indentation > *outer || IsLabelOrDirective(line, *indentation))
      continue;
    return {.first = start, .last = IsClosing(line, *indentation) ? at : at - 1};
  }
  return {.first = start, .last = end == file.line_count() ? end : margin.last};
}

}  // namespace flarestack::source
