// SPDX-License-Identifier: Apache-2.0
//
// A row of unwind information: from an address on, one rule holds, up to the address of the next.
// Addresses are those of the file.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>

#include "record/bpf/layout.h"

namespace flarestack::record::unwind {

// Whose registers the rules name. That of the file, which need not be the one we run on.
enum class Machine : uint8_t { kX86_64, kArm64 };

// By e_machine of the file; nothing for others.
std::optional<Machine> MachineOf(uint16_t elf_machine);

// The numbers that DWARF and our rules give to registers.
struct MachineRegisters {
  uint8_t stack_pointer = 0;
  uint8_t frame_pointer = 0;
  uint8_t return_address = 0;
  uint8_t count = 0;  // that a rule may name
};
constexpr MachineRegisters RegistersOf(Machine machine) {
  if (machine == Machine::kX86_64) {
    return {.stack_pointer = bpf::X86_REG_RSP,
            .frame_pointer = bpf::X86_REG_RBP,
            .return_address = bpf::X86_REG_RA,
            .count = bpf::X86_REG_RA};
  }
  return {.stack_pointer = bpf::ARM64_REG_SP,
          .frame_pointer = bpf::ARM64_REG_FP,
          .return_address = bpf::ARM64_REG_LR,
          .count = bpf::REGISTER_COUNT};
}

// A rule has no padding, and what its kind does not use is 0, so bytes tell whether two are equal.
inline bool AreSame(const bpf::unwind_rule& a, const bpf::unwind_rule& b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

inline bpf::unwind_rule RuleOfKind(bpf::rule_kind kind) {
  return {.kind = static_cast<bpf::u8>(kind),
          .flags = 0,
          .cfa_base = 0,
          .extra = 0,
          .cfa_offset = 0,
          .ra_offset = 0,
          .fp_offset = 0};
}

struct Row {
  uint64_t address = 0;
  bpf::unwind_rule rule = RuleOfKind(bpf::RULE_NONE);

  friend bool operator==(const Row& a, const Row& b) {
    return a.address == b.address && AreSame(a.rule, b.rule);
  }
};

}  // namespace flarestack::record::unwind
