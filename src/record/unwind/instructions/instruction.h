// SPDX-License-Identifier: Apache-2.0
//
// The effect of one machine instruction on the stack and the control flow: enough to follow a
// function that no unwind table describes.
#pragma once

#include <cstdint>
#include <string_view>

#include "record/unwind/rows/row.h"

namespace flarestack::record::unwind {

enum class Flow : uint8_t {
  kNext,
  kBranch,        // to `target` or to the next
  kJump,          // to `target`
  kIndirectJump,  // to an address that is not encoded in the instruction
  kCall,
  kReturn,
  kTrap,  // execution does not continue after it
};

enum class StackChange : uint8_t {
  kNone,
  kAdd,              // sp += value
  kSaveFp,           // sp += value, then the frame pointer is stored at sp + place
  kSaveFpAndReturn,  // the same, and the return address right above it (arm64)
  kSaveReturn,       // sp += value, then the return address is stored at sp + place (arm64)
  kRestoreFp,        // the frame pointer is loaded, then sp += value
  kRestoreFpAndReturn,
  kRestoreReturn,
  kSetFp,    // fp = sp + value
  kSetSp,    // sp = fp + value
  kLeave,    // sp = fp, then the frame pointer is popped
  kClearFp,  // fp = 0
  kLoseFp,   // fp gets an unknown value
  kLoseSp,   // sp gets an unknown value
};

struct Instruction {
  uint8_t length = 0;  // 0: unknown or truncated
  Flow flow = Flow::kNext;
  StackChange change = StackChange::kNone;
  bool is_padding = false;
  bool is_stub_jump = false;  // a jump through the linker's table, as in linkage stubs
  int32_t value = 0;
  int32_t place = 0;
  uint64_t target = 0;
  bool is_address = false;  // loads the address `target`, possibly that of a function
};

// Decode the instruction at the start of `bytes`, which are located at `address`.
//
// x86-64: the length of all instructions that compilers emit, and the effect of those that concern
// the stack. Operands of other instructions are skipped.
Instruction DecodeX86(std::string_view bytes, uint64_t address);
// arm64: the instructions that affect the stack or control flow. All are four bytes long.
Instruction DecodeArm64(std::string_view bytes, uint64_t address);

inline Instruction DecodeInstruction(Machine machine, std::string_view bytes, uint64_t address) {
  return machine == Machine::kX86_64 ? DecodeX86(bytes, address) : DecodeArm64(bytes, address);
}

}  // namespace flarestack::record::unwind
