// SPDX-License-Identifier: Apache-2.0
#include "record/trace/program_code.h"

#include "record/unwind/rows/row.h"

namespace flarestack::record::agent {

uint64_t FrameWord(const unwind::WalkedFrame& frame, const bpf::code_mapping* mapping) {
  uint64_t word = 0;
  if (frame.is_return_address)
    word |= FRAME_RETURN_ADDRESS;
  if (frame.is_guessed)
    word |= FRAME_GUESSED;
  if (mapping == nullptr || mapping->file == NO_FILE) {
    return word | (uint64_t{bpf::FRAME_IN_PROCESS} << FRAME_KIND_SHIFT) |
           (frame.pc & FRAME_ADDRESS_MASK);
  }
  return word | (uint64_t{mapping->file} << FRAME_FILE_SHIFT) |
         ((frame.pc - mapping->bias) & FRAME_FILE_ADDRESS_MASK);
}

bpf::unwind_rule RulesOfProgram::RuleAt(uint64_t address) {
  const bpf::code_mapping* mapping = FindMapping(mappings_, address);
  if (mapping == nullptr || mapping->file == NO_FILE)
    return unwind::RuleOfKind(bpf::RULE_NONE);
  return files_.FindRule(mapping->file, address - mapping->bias, now_);
}

bool MemoryOfProgram::ReadCode(uint64_t address, std::span<std::byte> target) {
  const bpf::code_mapping* mapping = FindMapping(mappings_, address);
  return mapping != nullptr && mapping->file != NO_FILE &&
         files_.ReadCode(mapping->file, address - mapping->bias, target);
}

}  // namespace flarestack::record::agent
