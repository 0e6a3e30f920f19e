// SPDX-License-Identifier: Apache-2.0
//
// A plain interpreter of call frame information for tests: every register, every operation that
// real files have, and numbers in the end instead of rules. It shares nothing with the interpreter
// under test but the reading of entries.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "elf/eh_frame.h"

namespace flarestack::record::unwind::testing {

// What an address of the program says, with the registers as values.
struct ReferenceMachine {
  std::function<uint64_t(uint64_t number)> register_value;
  std::function<uint64_t(uint64_t address)> load;
  uint64_t pc = 0;
  uint64_t pc_register = UINT64_MAX;  // the number under which expressions read pc
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
  std::map<uint64_t, ReferenceRule> registers;  // those that are not the same

  std::optional<uint64_t> Cfa(const ReferenceMachine& machine) const;
  // The caller's; nothing when it is undefined.
  std::optional<uint64_t> Register(uint64_t number, const ReferenceMachine& machine) const;
};

// Nothing when there is an instruction that it does not know.
std::optional<std::vector<ReferenceRow>> ReferenceRows(const elf::Fde& fde);

}  // namespace flarestack::record::unwind::testing
