// SPDX-License-Identifier: Apache-2.0
//
// Joining text. Debian builds Abseil with a string_view of its own, which does not take
// std::string_view; StrCat here is the same idea over fmt.
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
