// SPDX-License-Identifier: Apache-2.0
#include "symbol/demangle/rust_demangle.h"

#include <array>
#include <utility>

#include "symbol/demangle/bounded_text.h"
#include "symbol/demangle/punycode.h"
#include "symbol/demangle/rust_v0.h"

namespace flarestack::symbol {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kEscapes = {{{"SP", "@"},
                                                                                    {"BP", "*"},
                                                                                    {"RF", "&"},
                                                                                    {"LT", "<"},
                                                                                    {"GT", ">"},
                                                                                    {"LP", "("},
                                                                                    {"RP", ")"},
                                                                                    {"C", ","}}};

bool IsHexDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

bool IsHash(std::string_view element) {
  if (element.size() != 17 || element[0] != 'h')
    return false;
  for (const char c : element.substr(1)) {
    if (!IsHexDigit(c))
      return false;
  }
  return true;
}

// Appends the text of an escape between two dollars. Returns false if the escape is unknown.
bool AppendEscape(std::string_view escape, BoundedText& out) {
  for (const auto& [code, text] : kEscapes) {
    if (escape == code) {
      out.Append(text);
      return true;
    }
  }
  if (escape.size() < 2 || escape.size() > 7 || escape[0] != 'u')
    return false;
  char32_t code_point = 0;
  for (const char c : escape.substr(1)) {
    if (!IsHexDigit(c))
      return false;
    code_point = code_point * 16 + static_cast<char32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  std::string utf8;
  if (code_point < 0x20 || code_point == 0x7f || !AppendUtf8(code_point, &utf8))
    return false;
  out.Append(utf8);
  return true;
}

void AppendElement(std::string_view element, BoundedText& out) {
  if (element.starts_with("_$"))
    element.remove_prefix(1);  // identifiers may not begin with a dollar, so `_` precedes it
  while (!element.empty()) {
    if (element.starts_with("..")) {
      out.Append("::");
      element.remove_prefix(2);
    } else if (element[0] == '$') {
      const size_t end = element.find('$', 1);
      if (end == std::string_view::npos || !AppendEscape(element.substr(1, end - 1), out))
        return out.Append(element);
      element.remove_prefix(end + 1);
    } else {
      const size_t end = std::min(element.find_first_of(".$", 1), element.size());
      out.Append(element.substr(0, end));
      element.remove_prefix(end);
    }
  }
}

// Removes a length and that many bytes from the front.
std::optional<std::string_view> TakeElement(std::string_view& rest) {
  size_t length = 0;
  size_t digits = 0;
  while (digits < rest.size() && digits < 5 && rest[digits] >= '0' && rest[digits] <= '9')
    length = length * 10 + static_cast<size_t>(rest[digits++] - '0');
  rest.remove_prefix(digits);
  if (digits == 0 || length == 0 || length > rest.size())
    return std::nullopt;
  const std::string_view element = rest.substr(0, length);
  rest.remove_prefix(length);
  return element;
}

}  // namespace

std::optional<std::string> DemangleRustLegacy(std::string_view mangled) {
  if (!mangled.starts_with("_ZN") || mangled.size() < 24)
    return std::nullopt;
  std::string_view rest = mangled.substr(3);
  BoundedText out;
  std::optional<std::string_view> last;
  for (bool is_first = true; !rest.empty() && rest[0] != 'E';) {
    if (last) {
      if (!std::exchange(is_first, false))
        out.Append("::");
      AppendElement(*last, out);
    }
    last = TakeElement(rest);
    if (!last)
      return std::nullopt;
  }
  const bool is_whole = rest == "E" || rest.starts_with("E.");
  if (!is_whole || !last || !IsHash(*last) || out.failed() || out.size() == 0)
    return std::nullopt;
  return out.Take();
}

std::optional<std::string> DemangleRustV0(std::string_view mangled) {
  if (!mangled.starts_with("_R"))
    return std::nullopt;
  mangled.remove_prefix(2);
  return RustV0(mangled.substr(0, mangled.find_first_of(".$"))).Read();
}

}  // namespace flarestack::symbol
