// SPDX-License-Identifier: Apache-2.0
//
// A simple interpreter of call frame information for tests: handles every register and every
// operation that real files have, and yields values instead of rules. It shares only the parsing of
// entries with the interpreter under test.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "elf/frames/eh_frame.h"

namespace flarestack::record::unwind::testing {

// The values of registers and memory at an address of the program.
struct ReferenceMachine {
  std::function<uint64_t(uint64_t number)> register_value;
  std::function<uint64_t(uint64_t address)> load;
  uint64_t pc = 0;
  uint64_t pc_register = UINT64_MAX;  // number by which expressions read pc
};

struct ReferenceRule {
  enum class Kind {
    kSame,
    kUndefined,
    kOffset,
    kValOffset,
    kRegister,
    kExpression,
    kValExpression
  };
  Kind kind = Kind::kSame;
  int64_t number = 0;
  std::string_view expression;
};

struct ReferenceRow {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t cfa_register = 0;
  int64_t cfa_offset = 0;
  std::optional<std::string_view> cfa_expression;
  std::map<uint64_t, ReferenceRule> registers;  // registers that changed

  std::optional<uint64_t> Cfa(const ReferenceMachine& machine) const;
  // Returns the caller's value; nullopt if it is undefined.
  std::optional<uint64_t> Register(uint64_t number, const ReferenceMachine& machine) const;
};

// Returns nullopt if there is an unknown instruction.
std::optional<std::vector<ReferenceRow>> ReferenceRows(const elf::Fde& fde);

}  // namespace flarestack::record::unwind::testing
