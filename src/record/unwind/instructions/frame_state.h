// SPDX-License-Identifier: Apache-2.0
//
// Where a function keeps its caller's registers at one of its instructions, derived from the
// instructions before it.
#pragma once

#include <cstdint>
#include <optional>

#include "record/unwind/instructions/instruction.h"
#include "record/unwind/rows/row.h"

namespace flarestack::record::unwind {

// Offsets are relative to the CFA, the stack pointer of the caller; negative ones are below it.
struct FrameState {
  std::optional<int32_t> sp;        // sp = CFA + sp
  std::optional<int32_t> fp;        // fp = CFA + fp, if the function has set it
  std::optional<int32_t> saved_fp;  // location of the caller's, if it was saved
  std::optional<int32_t> saved_ra;  // location of the return address; nullopt: link register
  bool is_outermost = false;        // the frame pointer was cleared without being saved

  friend bool operator==(const FrameState&, const FrameState&) = default;
};

// The state right after a call.
FrameState StateAtEntry(Machine machine);

// Updates the state for an instruction. Returns false if that is impossible in a function that
// returns.
bool Apply(const Instruction& instruction, FrameState* state);

// Returns whether a return, or a jump to another function, is possible in this state.
bool CanLeave(Machine machine, const FrameState& state);

// Returns RULE_NONE if the CFA is not known.
bpf::unwind_rule RuleOf(Machine machine, const FrameState& state);

}  // namespace flarestack::record::unwind
