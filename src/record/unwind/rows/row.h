// SPDX-License-Identifier: Apache-2.0
//
// A row of unwind information: one rule that applies from its address up to that of the next row.
// Addresses are those in the file.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>

#include "record/bpf/layout.h"

namespace flarestack::record::unwind {

// The machine whose registers the rules refer to. It is that of the file and may differ from the
// host.
enum class Machine : uint8_t { kX86_64, kArm64 };

// Converts e_machine of a file; nullopt for unsupported machines.
std::optional<Machine> MachineOf(uint16_t elf_machine);

// Register numbers of DWARF, which our rules use too.
struct MachineRegisters {
  uint8_t stack_pointer = 0;
  uint8_t frame_pointer = 0;
  uint8_t return_address = 0;
  uint8_t count = 0;  // registers that a rule can refer to
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

// A rule has no padding, and fields that its kind does not use are 0, so comparing bytes is enough.
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
