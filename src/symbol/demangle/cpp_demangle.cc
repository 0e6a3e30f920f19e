// SPDX-License-Identifier: Apache-2.0
#include "symbol/demangle/cpp_demangle.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>

#include "symbol/demangle/bounded_text.h"

namespace flarestack::symbol {
namespace {

// Abbreviations, operators and qualifiers expand to no more than this: `So` is std::ostream.
constexpr uint64_t kLeafBytesMin = 16;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsSequence(char c) { return IsDigit(c) || (c >= 'A' && c <= 'Z'); }

// Returns the length of the reference at the start of `text`, `S3_` or `T0_`; 0 if there is none.
size_t ReferenceLength(std::string_view text) {
  size_t end = 1;
  while (end < text.size() && (text[0] == 'S' ? IsSequence(text[end]) : IsDigit(text[end])))
    ++end;
  return end < text.size() && text[end] == '_' ? end + 1 : 0;
}

uint64_t SaturatingProduct(uint64_t a, uint64_t b) {
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

uint64_t LongestIdentifier(std::string_view mangled) {
  uint64_t longest = 0;
  for (size_t at = 0; at < mangled.size(); ++at) {
    uint64_t number = 0;
    for (; at < mangled.size() && IsDigit(mangled[at]); ++at)
      number = std::min<uint64_t>(number * 10 + static_cast<uint64_t>(mangled[at] - '0'), 1 << 20);
    longest = std::max(longest, std::min<uint64_t>(number, mangled.size()));
  }
  return longest;
}

using ReferenceCounts = std::map<std::string_view, uint64_t>;

uint64_t Growth(const ReferenceCounts& counts) {
  uint64_t growth = 1;
  for (const auto& [reference, count] : counts)
    growth = SaturatingProduct(growth, 1 + count);
  return growth;
}

}  // namespace

// A part of a name that is referenced c times appears c + 1 times in the surrounding text. Parts
// are nested, so the factors multiply. A substitution (S) refers to the same part throughout the
// name. A template parameter (T) refers to a different part in each argument list, which begins
// with an I. Letters inside identifiers are counted as well, which only raises the bound.
uint64_t CppExpansionBound(std::string_view mangled) {
  ReferenceCounts substitutions;
  ReferenceCounts parameters;
  uint64_t growth = 1;
  for (size_t at = 0; at < mangled.size(); ++at) {
    const char c = mangled[at];
    if (c == 'I') {
      growth = SaturatingProduct(growth, Growth(parameters));
      parameters.clear();
    } else if (c == 'S' || c == 'T') {
      const std::string_view rest = mangled.substr(at);
      if (const size_t length = ReferenceLength(rest); length > 0)
        ++(c == 'S' ? substitutions : parameters)[rest.substr(0, length)];
    }
  }
  growth = SaturatingProduct(growth, Growth(parameters));
  growth = SaturatingProduct(growth, Growth(substitutions));
  return SaturatingProduct(growth, std::max(kLeafBytesMin, LongestIdentifier(mangled)));
}

std::optional<std::string> DemangleCpp(std::string_view mangled) {
  if (mangled.size() > kCppNameBytesMax || CppExpansionBound(mangled) > kCppExpandedBytesMax)
    return std::nullopt;
  const std::string terminated(mangled);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(terminated.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || text == nullptr)
    return std::nullopt;
  std::string readable = text.get();
  if (readable.size() > kReadableBytesMax)
    return std::nullopt;
  return readable;
}

}  // namespace flarestack::symbol
