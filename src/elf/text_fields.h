// SPDX-License-Identifier: Apache-2.0
//
// Splits text from the kernel and JIT compilers into lines and words. Returns views into that text.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace flarestack::elf {

// Removes and returns the first line, without its end.
inline std::string_view TakeLine(std::string_view* text) {
  const size_t end = text->find('\n');
  std::string_view line = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  return line;
}

// Removes leading blanks and the first word, and returns the word; empty at the end.
inline std::string_view TakeWord(std::string_view* line) {
  constexpr std::string_view kBlanks = " \t";
  const size_t first = line->find_first_not_of(kBlanks);
  line->remove_prefix(first == std::string_view::npos ? line->size() : first);
  const std::string_view word = line->substr(0, line->find_first_of(kBlanks));
  line->remove_prefix(word.size());
  return word;
}

// Parses the whole word, with or without a "0x" prefix if `base` is 16.
inline std::optional<uint64_t> ParseNumber(std::string_view word, int base) {
  if (base == 16 && (word.starts_with("0x") || word.starts_with("0X")))
    word.remove_prefix(2);
  uint64_t value = 0;
  const char* const end = word.data() + word.size();
  const auto result = std::from_chars(word.data(), end, value, base);
  if (word.empty() || result.ec != std::errc{} || result.ptr != end)
    return std::nullopt;
  return value;
}

}  // namespace flarestack::elf
