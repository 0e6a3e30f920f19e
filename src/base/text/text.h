// SPDX-License-Identifier: Apache-2.0
//
// Joins text. Debian builds Abseil with its own string_view type, which does not accept
// std::string_view; StrCat here does the same job with fmt.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>

namespace flarestack::base {

template <typename... Args>
std::string StrCat(const Args&... args) {
  std::string out;
  (fmt::format_to(std::back_inserter(out), "{}", args), ...);
  return out;
}

template <typename... Args>
void StrAppend(std::string* out, const Args&... args) {
  (fmt::format_to(std::back_inserter(*out), "{}", args), ...);
}

// "0x" and lower-case digits.
inline std::string Hex(uint64_t number) { return fmt::format("{:#x}", number); }

}  // namespace flarestack::base
