// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/legacy/symbol_comments.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "codec/pprof/legacy/legacy_text.h"

namespace flarestack::codec::pprof::legacy {
namespace {

void AppendUtf8(uint32_t rune, std::string& out) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((rune >> shift) & 0x3f)); };
  if (rune < 0x80) {
    out += static_cast<char>(rune);
  } else if (rune < 0x800) {
    out += static_cast<char>(0xc0 | (rune >> 6));
    tail(0);
  } else if (rune < 0x10000) {
    out += static_cast<char>(0xe0 | (rune >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | (rune >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

// Reads the text after a backslash in a string written by Go's %q.
bool ReadEscape(std::string_view& rest, std::string& out) {
  if (rest.empty()) {
    return false;
  }
  const char kind = rest.front();
  rest.remove_prefix(1);
  constexpr std::string_view kNames = "abfnrtv\\\"";
  constexpr std::string_view kBytes = "\a\b\f\n\r\t\v\\\"";
  if (const size_t at = kNames.find(kind); at != std::string_view::npos) {
    out += kBytes[at];
    return true;
  }
  const size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
  if (digits == 0 || rest.size() < digits) {
    return false;
  }
  Cursor in(rest.substr(0, digits));
  const std::optional<uint64_t> number = in.Hex();
  if (!number || !in.AtEnd() || *number > 0x10ffff) {
    return false;
  }
  rest.remove_prefix(digits);
  if (kind == 'x') {
    out += static_cast<char>(*number);
  } else {
    AppendUtf8(static_cast<uint32_t>(*number), out);
  }
  return true;
}

// Reads a string in double quotes at the front of `rest`.
std::optional<std::string> ReadQuoted(std::string_view& rest) {
  if (!rest.starts_with('"')) {
    return std::nullopt;
  }
  rest.remove_prefix(1);
  std::string out;
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '"') {
      return out;
    }
    if (c != '\\') {
      out += c;
    } else if (!ReadEscape(rest, out)) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

using TextPairs = std::vector<std::pair<std::string, std::string>>;

// {"key":"value", "key":"value"}
std::optional<TextPairs> ReadPairs(std::string_view rest) {
  TextPairs pairs;
  if (!rest.starts_with('{') || !rest.ends_with('}')) {
    return std::nullopt;
  }
  rest = rest.substr(1, rest.size() - 2);
  while (!rest.empty()) {
    std::optional<std::string> key = ReadQuoted(rest);
    if (!key || !rest.starts_with(':')) {
      return std::nullopt;
    }
    rest.remove_prefix(1);
    std::optional<std::string> value = ReadQuoted(rest);
    if (!value) {
      return std::nullopt;
    }
    pairs.emplace_back(*std::move(key), *std::move(value));
    if (rest.starts_with(", ")) {
      rest.remove_prefix(2);
    } else if (!rest.empty()) {
      return std::nullopt;
    }
  }
  return pairs;
}

// Returns the next field between tabs; Go aligns the columns with several of them.
std::string_view TakeField(std::string_view& rest) {
  const size_t begin = rest.find_first_not_of('\t');
  rest.remove_prefix(begin == std::string_view::npos ? rest.size() : begin);
  const std::string_view field = rest.substr(0, rest.find('\t'));
  rest.remove_prefix(field.size());
  return Trim(field);
}

}  // namespace

bool SymbolComments::Take(std::string_view line) {
  if (!line.starts_with('#')) {
    Finish();
    return false;
  }
  line.remove_prefix(1);
  if (const std::string_view comment = Trim(line); comment.starts_with("labels: ")) {
    TakeLabels(comment.substr(8));
  } else {
    TakeFrame(line);
  }
  return true;
}

void SymbolComments::TakeFrame(std::string_view comment) {
  Cursor in(TakeField(comment));
  const uint64_t address = in.Eat("0x") ? in.Hex().value_or(0) : 0;
  std::string_view function = TakeField(comment);
  std::string_view file = TakeField(comment);
  const size_t plus = function.rfind("+0x");
  if (address == 0 || !in.AtEnd() || plus == std::string_view::npos || plus == 0) {
    return;  // a frame without a name, or a comment about something else
  }
  function = function.substr(0, plus);
  int64_t line = 0;
  if (const size_t colon = file.rfind(':'); colon != std::string_view::npos) {
    line = ParseInteger(file.substr(colon + 1)).value_or(0);
    file = file.substr(0, colon);
  }
  if (address != address_) {
    Finish();
    address_ = address;
  }
  // Keep names only if a location of the samples needs them.
  const std::optional<uint32_t> location = builder_.FindLocation(address);
  if (location && builder_.profile().locations[*location].lines.empty()) {
    lines_.push_back({.function = builder_.InternFunction(function, file), .line = line});
  }
}

void SymbolComments::TakeLabels(std::string_view comment) {
  const std::optional<TextPairs> pairs = ReadPairs(comment);
  if (!pairs || builder_.profile().samples.empty()) {
    builder_.warnings().Add("labels that are not understood", comment.substr(0, 60));
    return;
  }
  for (const auto& [key, value] : *pairs) {
    base::Arena& arena = builder_.profile().arena;
    builder_.AddTextLabel(arena.Copy(key), arena.Copy(value));
  }
}

void SymbolComments::Finish() {
  if (!lines_.empty()) {
    builder_.SetLines(*builder_.FindLocation(address_), lines_);
    lines_.clear();
  }
}

}  // namespace flarestack::codec::pprof::legacy
