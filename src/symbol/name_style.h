// SPDX-License-Identifier: Apache-2.0
//
// Readable names of C++, shortened for a flame graph:
//
//   kFull         void foo::bar<std::vector<int> >(int, char) const
//   kSimple       foo::bar<std::vector<int> >
//   kNoTemplates  foo::bar<...>
//
// Names of Go, D, Java and of Rust's v0 scheme are recognised by their look and left alone. Rust's
// older names look like C++ and are treated alike, which shortens nothing but their type arguments.
#pragma once

#include <string>
#include <string_view>

namespace flarestack::symbol {

enum class NameStyle {
  kFull,         // as it is
  kSimple,       // without parameters, return type, abi tags, and what follows the parameters
  kNoTemplates,  // kSimple, with <...> for the arguments of templates
};

// Never longer than what was given, which is also the answer where the brackets do not match.
std::string ShortenName(std::string_view demangled, NameStyle style);

}  // namespace flarestack::symbol
