// SPDX-License-Identifier: Apache-2.0
//
// The state that call frame information describes for one address, and its conversion to a rule.
#pragma once

#include <cstdint>
#include <optional>

#include "record/unwind/rows/row.h"

namespace flarestack::record::unwind {

// Location of a caller's register.
struct RegisterPlace {
  enum class Kind : uint8_t {
    kSame,            // unchanged
    kUndefined,       // lost
    kOffset,          // at CFA + value
    kInRegister,      // in register `value`
    kAtFramePointer,  // at the frame pointer + value
    kUnsupported,
  };
  Kind kind = Kind::kSame;
  int64_t value = 0;
};

struct CfiState {
  enum class CfaKind : uint8_t { kRegister, kLoaded, kPlt, kUnsupported };
  CfaKind cfa_kind = CfaKind::kUnsupported;  // until an instruction defines it
  uint64_t cfa_register = 0;
  int64_t cfa_offset = 0;
  uint64_t cfa_added = 0;
  RegisterPlace frame_pointer;
  RegisterPlace return_address;
  bool is_stack_pointer_odd = false;  // the caller's is not the CFA
};

// Returns nullopt if a rule cannot represent the state. Without a return address the frame is the
// outermost.
std::optional<bpf::unwind_rule> ToRule(const CfiState& state, Machine machine);

}  // namespace flarestack::record::unwind
