// SPDX-License-Identifier: Apache-2.0
//
// The code of one program, as its mappings and their files have it: for walking its stacks in user
// space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "record/bpf/layout.h"
#include "record/code/code_files.h"
#include "record/process/processes.h"
#include "record/unwind/stack_walk.h"

namespace flarestack::record::agent {

// The word of a native frame. `mapping` contains it, or is null.
uint64_t FrameWord(const unwind::WalkedFrame& frame, const bpf::code_mapping* mapping);

// The address at which a frame is looked up.
inline uint64_t LookupAddress(const unwind::WalkedFrame& frame) {
  return frame.pc - (frame.is_return_address ? 1 : 0);
}

// The unwind rules of all files that one program has mapped.
class RulesOfProgram final : public unwind::RuleSource {
 public:
  RulesOfProgram(std::span<const bpf::code_mapping> mappings, CodeFiles* files, Time now)
      : mappings_(mappings), files_(*files), now_(now) {}

  bpf::unwind_rule RuleAt(uint64_t address) override;

 private:
  const std::span<const bpf::code_mapping> mappings_;
  CodeFiles& files_;
  const Time now_;
};

// A stack, and the code mapped by the program.
class MemoryOfProgram final : public unwind::Memory {
 public:
  MemoryOfProgram(unwind::Memory* stack, std::span<const bpf::code_mapping> mappings,
                  const CodeFiles* files)
      : stack_(*stack), mappings_(mappings), files_(*files) {}

  bool Read(uint64_t address, std::span<std::byte> target) override {
    return stack_.Read(address, target);
  }
  bool ReadCode(uint64_t address, std::span<std::byte> target) override;

 private:
  unwind::Memory& stack_;
  const std::span<const bpf::code_mapping> mappings_;
  const CodeFiles& files_;
};

}  // namespace flarestack::record::agent
