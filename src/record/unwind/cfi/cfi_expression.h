// SPDX-License-Identifier: Apache-2.0
//
// Recognizes the call frame expressions that occur in practice and that a rule can represent. DWARF
// defines a stack machine for them (DWARF 5, 2.5); linkers and compilers use only a handful of
// programs for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace flarestack::record::unwind {

struct CfiExpression {
  enum class Kind : uint8_t {
    kRegister,  // register + offset
    kLoaded,    // load(register + offset) + added
    kPlt,       // sp + 8, plus 8 if the low four bits of pc are at least `added` (x86-64)
  };
  Kind kind = Kind::kRegister;
  uint64_t register_number = 0;
  int64_t offset = 0;
  uint64_t added = 0;
};

// Returns nullopt for all others.
std::optional<CfiExpression> RecogniseExpression(std::string_view bytes);

}  // namespace flarestack::record::unwind
