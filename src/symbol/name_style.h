// SPDX-License-Identifier: Apache-2.0
//
// Shortens demangled C++ names for a flame graph:
//
//   kFull         void foo::bar<std::vector<int> >(int, char) const
//   kSimple       foo::bar<std::vector<int> >
//   kNoTemplates  foo::bar<...>
//
// Names of Go, D, Java and of Rust's v0 scheme are recognized by their form and left unchanged.
// Rust's legacy names look like C++ and are treated alike, which shortens only their type
// arguments.
#pragma once

#include <string>
#include <string_view>

namespace flarestack::symbol {

enum class NameStyle {
  kFull,         // unchanged
  kSimple,       // without parameters, return type, abi tags, and anything after the parameters
  kNoTemplates,  // kSimple, with <...> for template arguments
};

// Never returns a longer name. Returns the name unchanged if its brackets do not match.
std::string ShortenName(std::string_view demangled, NameStyle style);

}  // namespace flarestack::symbol
