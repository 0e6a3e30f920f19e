// SPDX-License-Identifier: Apache-2.0
//
// Where a function has its caller's registers, at one of its instructions, as far as the
// instructions before it tell.
#pragma once

#include <cstdint>
#include <optional>

#include "record/unwind/instruction.h"
#include "record/unwind/row.h"

namespace flarestack::record::unwind {

// Distances are from the CFA, the stack pointer of the caller, downwards: negative ones are below.
struct FrameState {
  std::optional<int32_t> sp;        // sp = CFA + sp
  std::optional<int32_t> fp;        // the same, when the function has set it
  std::optional<int32_t> saved_fp;  // where that of the caller is, when it was saved
  std::optional<int32_t> saved_ra;  // where the return address is; in the link register without
  bool is_outermost = false;        // the frame pointer was cleared and not saved before

  friend bool operator==(const FrameState&, const FrameState&) = default;
};

// When a function was just called.
FrameState StateAtEntry(Machine machine);

// Behind the instruction. False when it cannot be true of a function that returns.
bool Apply(const Instruction& instruction, FrameState* state);

// Whether a return, or a jump to another function, may stand here.
bool CanLeave(Machine machine, const FrameState& state);

// RULE_NONE when the CFA is not known.
bpf::unwind_rule RuleOf(Machine machine, const FrameState& state);

}  // namespace flarestack::record::unwind
