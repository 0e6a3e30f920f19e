// SPDX-License-Identifier: Apache-2.0
//
// A frame of a language runtime, with its names: what a programmer of that language calls it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flarestack::record::runtime {

struct NamedFunction {
  std::string name;        // as the language writes it: "Shop.checkout", "com.shop.Cart.add"
  std::string file;        // as the runtime reports it; empty if unknown
  int64_t start_line = 0;  // of the function; 0 if unknown
  int64_t line = 0;        // that was running; 0 if unknown
  int64_t column = 0;      // 0 if unknown

  friend bool operator==(const NamedFunction&, const NamedFunction&) = default;
  template <typename H>
  friend H AbslHashValue(H hash, const NamedFunction& one) {
    return H::combine(std::move(hash), one.name, one.file, one.start_line, one.line, one.column);
  }
};

struct NamedFrame {
  std::string_view type;                 // profile.frame.type: a string literal such as "cpython"
  std::vector<NamedFunction> functions;  // innermost first: each is inlined into the next

  friend bool operator==(const NamedFrame&, const NamedFrame&) = default;
  template <typename H>
  friend H AbslHashValue(H hash, const NamedFrame& frame) {
    return H::combine(std::move(hash), frame.type, frame.functions);
  }
};

}  // namespace flarestack::record::runtime
