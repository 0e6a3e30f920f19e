// SPDX-License-Identifier: Apache-2.0
#include "record/unwind/cfi/cfi_state.h"

namespace flarestack::record::unwind {
namespace {

using Kind = RegisterPlace::Kind;
using CfaKind = CfiState::CfaKind;

std::optional<int32_t> AsInt32(int64_t value) {
  const auto narrow = static_cast<int32_t>(value);
  return narrow == value ? std::optional(narrow) : std::nullopt;
}

bool AddCfa(const CfiState& state, const MachineRegisters& registers, bpf::unwind_rule* rule) {
  const auto cfa_offset = AsInt32(state.cfa_offset);
  if (state.cfa_kind == CfaKind::kUnsupported || state.is_stack_pointer_odd ||
      !cfa_offset.has_value() || state.cfa_register >= registers.count)
    return false;
  rule->kind = bpf::RULE_CFA;
  rule->cfa_base = static_cast<bpf::u8>(state.cfa_register);
  rule->cfa_offset = *cfa_offset;
  if (state.cfa_kind == CfaKind::kPlt) {
    rule->kind = bpf::RULE_PLT;
    rule->extra = static_cast<bpf::u8>(state.cfa_added);
  } else if (state.cfa_kind == CfaKind::kLoaded) {
    if (state.cfa_added % 8 != 0 || state.cfa_added / 8 > UINT8_MAX)
      return false;
    rule->flags |= bpf::RULE_CFA_LOADED;
    rule->extra = static_cast<bpf::u8>(state.cfa_added / 8);
  }
  return true;
}

bool AddReturnAddress(const CfiState& state, Machine machine, bpf::unwind_rule* rule) {
  const MachineRegisters registers = RegistersOf(machine);
  const RegisterPlace& place = state.return_address;
  if (place.kind == Kind::kOffset) {
    const auto offset = AsInt32(place.value);
    rule->ra_offset = offset.value_or(0);
    return offset.has_value();
  }
  uint64_t number = 0;
  if (place.kind == Kind::kSame && machine == Machine::kArm64)
    number = registers.return_address;
  else if (place.kind == Kind::kInRegister)
    number = static_cast<uint64_t>(place.value);
  else
    return false;
  // `extra` has space for one number.
  if (number >= registers.count || rule->kind != bpf::RULE_CFA ||
      (rule->flags & bpf::RULE_CFA_LOADED) != 0)
    return false;
  rule->flags |= bpf::RULE_RA_IN_REGISTER;
  rule->extra = static_cast<bpf::u8>(number);
  return true;
}

// A frame pointer in neither place is lost or in another register. Keeping the current one is then
// no worse than having none. gcc describes it relative to the frame pointer up to the end of a
// function, even after the frame pointer was restored and points elsewhere; the CFA then depends on
// another register.
void AddFramePointer(const CfiState& state, const MachineRegisters& registers,
                     bpf::unwind_rule* rule) {
  const RegisterPlace& saved = state.frame_pointer;
  const auto offset = AsInt32(saved.value);
  const bool is_at_fp =
      saved.kind == Kind::kAtFramePointer && state.cfa_register == registers.frame_pointer;
  if (!offset.has_value() || (saved.kind != Kind::kOffset && !is_at_fp))
    return;
  rule->flags |= bpf::RULE_FP_SAVED;
  if (is_at_fp)
    rule->flags |= bpf::RULE_FP_AT_FP;
  rule->fp_offset = *offset;
}

// x86-64: a return address below the stack pointer was popped, as at the start of a thread.
bool IsReturnAddressGone(const bpf::unwind_rule& rule, Machine machine) {
  return machine == Machine::kX86_64 && rule.kind == bpf::RULE_CFA && rule.flags == 0 &&
         rule.cfa_base == bpf::X86_REG_RSP && int64_t{rule.cfa_offset} + rule.ra_offset < 0;
}

}  // namespace

std::optional<bpf::unwind_rule> ToRule(const CfiState& state, Machine machine) {
  if (state.return_address.kind == Kind::kUndefined)
    return RuleOfKind(bpf::RULE_STOP);
  const MachineRegisters registers = RegistersOf(machine);
  bpf::unwind_rule rule = RuleOfKind(bpf::RULE_NONE);
  if (!AddCfa(state, registers, &rule) || !AddReturnAddress(state, machine, &rule))
    return std::nullopt;
  if (IsReturnAddressGone(rule, machine))
    return RuleOfKind(bpf::RULE_STOP);
  AddFramePointer(state, registers, &rule);
  return rule;
}

}  // namespace flarestack::record::unwind
