// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/instructions/frame_state.h"

namespace flarestack::record::unwind {
namespace {

constexpr int32_t kFrameBytesMax = 1 << 24;

// Values below the stack pointer are no longer saved.
void ForgetBelow(FrameState* state) {
  if (!state->sp.has_value())
    return;
  if (state->saved_fp.has_value() && *state->saved_fp < *state->sp)
    state->saved_fp.reset();
}

void Save(const Instruction& instruction, FrameState* state) {
  using enum StackChange;
  if (!state->sp.has_value())
    return;
  const int32_t place = *state->sp + instruction.place;
  const bool saves_fp = instruction.change == kSaveFp || instruction.change == kSaveFpAndReturn;
  // A later push stores a value of the function itself.
  if (saves_fp && !state->saved_fp.has_value() && !state->fp.has_value() && !state->is_outermost)
    state->saved_fp = place;
  if (instruction.change == kSaveFpAndReturn && !state->saved_ra.has_value())
    state->saved_ra = place + 8;
  if (instruction.change == kSaveReturn && !state->saved_ra.has_value())
    state->saved_ra = place;
}

void Restore(const Instruction& instruction, FrameState* state) {
  using enum StackChange;
  if (!state->sp.has_value())
    return;
  const int32_t place = *state->sp + instruction.place;
  const bool loads_fp =
      instruction.change == kRestoreFp || instruction.change == kRestoreFpAndReturn;
  if (loads_fp) {
    state->fp.reset();
    if (state->saved_fp == place)
      state->saved_fp.reset();
  }
  const int32_t ra_place = place + (instruction.change == kRestoreFpAndReturn ? 8 : 0);
  if (instruction.change != kRestoreFp && state->saved_ra == ra_place)
    state->saved_ra.reset();
}

}  // namespace

FrameState StateAtEntry(Machine machine) {
  FrameState state;
  state.sp = machine == Machine::kX86_64 ? -8 : 0;
  if (machine == Machine::kX86_64)
    state.saved_ra = -8;
  return state;
}

bool Apply(const Instruction& instruction, FrameState* state) {
  using enum StackChange;
  switch (instruction.change) {
    case kNone:
      return true;
    case kClearFp:
      state->is_outermost = !state->saved_fp.has_value();
      state->fp.reset();
      return true;
    case kLoseFp:
      state->fp.reset();
      return true;
    case kLoseSp:
      state->sp.reset();
      return true;
    case kSetFp:
      state->fp.reset();
      if (state->sp.has_value())
        state->fp = *state->sp + instruction.value;
      return true;
    case kSetSp:
    case kLeave:
      if (!state->fp.has_value())
        return false;
      state->sp = *state->fp + instruction.value;
      break;
    case kAdd:
    case kSaveFp:
    case kSaveFpAndReturn:
    case kSaveReturn:
      if (state->sp.has_value())
        *state->sp += instruction.value;
      Save(instruction, state);
      break;
    case kRestoreFp:
    case kRestoreFpAndReturn:
    case kRestoreReturn:
      Restore(instruction, state);
      if (state->sp.has_value())
        *state->sp += instruction.value;
      break;
  }
  if (instruction.change == kLeave) {
    state->fp.reset();
    state->saved_fp.reset();
    *state->sp += 8;
  }
  if (instruction.change != kSaveFp && instruction.change != kSaveReturn)
    ForgetBelow(state);
  // Only at the start of a stack can the stack pointer be above the return address.
  return !state->sp.has_value() || state->is_outermost ||
         (*state->sp <= 0 && *state->sp > -kFrameBytesMax);
}

bool CanLeave(Machine machine, const FrameState& state) {
  const FrameState entry = StateAtEntry(machine);
  return state.sp == entry.sp && state.saved_ra == entry.saved_ra && !state.saved_fp.has_value();
}

bpf::unwind_rule RuleOf(Machine machine, const FrameState& state) {
  bpf::unwind_rule rule = RuleOfKind(bpf::RULE_NONE);
  if (state.is_outermost) {
    // The stack starts here, so there is nothing else on it.
    if (state.sp >= StateAtEntry(machine).sp)
      rule.kind = bpf::RULE_STOP;
    return rule;
  }
  const MachineRegisters registers = RegistersOf(machine);
  // Without a frame, the frame pointer is the caller's and cannot be used to find the caller.
  if (!state.sp.has_value() && (!state.fp.has_value() || !state.saved_ra.has_value()))
    return rule;
  rule.kind = bpf::RULE_CFA;
  rule.flags = bpf::RULE_FROM_CODE;
  rule.cfa_base = state.sp.has_value() ? registers.stack_pointer : registers.frame_pointer;
  rule.cfa_offset = state.sp.has_value() ? -*state.sp : -*state.fp;
  if (state.saved_ra.has_value()) {
    rule.ra_offset = *state.saved_ra;
  } else {
    rule.flags |= bpf::RULE_RA_IN_REGISTER;
    rule.extra = registers.return_address;
  }
  if (state.saved_fp.has_value()) {
    rule.flags |= bpf::RULE_FP_SAVED;
    rule.fp_offset = *state.saved_fp;
  }
  return rule;
}

}  // namespace flarestack::record::unwind
