// SPDX-License-Identifier: Apache-2.0
//
// Unwinds a stack in user space, with the same step as BPF: for stacks that were copied because
// their tables were not loaded yet, and for a process that profiles itself.
//
//   CopiedStack stack(registers.regs[bpf::REG_SP], bytes);
//   const bpf::unwind_end end =
//       Walk(registers, stack, rules, [&](const WalkedFrame& frame) { frames.push_back(frame); });
//
// Allocates nothing. Supports only the machine it runs on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "record/bpf/layout.h"

namespace flarestack::record::unwind {

class Memory {
 public:
  virtual ~Memory() = default;
  // Returns false unless all of it can be read.
  virtual bool Read(uint64_t address, std::span<std::byte> target) = 0;
  // The same for instructions, which may be outside the copied stack. Without them some checks are
  // skipped.
  virtual bool ReadCode(uint64_t /*address*/, std::span<std::byte> /*target*/) { return false; }
};

// The bytes of a stack from its stack pointer upwards. They must outlive this object.
class CopiedStack final : public Memory {
 public:
  CopiedStack(uint64_t stack_pointer, std::span<const std::byte> bytes)
      : begin_(stack_pointer), bytes_(bytes) {}

  bool Read(uint64_t address, std::span<std::byte> target) override;

 private:
  uint64_t begin_;
  std::span<const std::byte> bytes_;
};

// The pieces of a stack that BPF could read, as in its message: the bytes of those whose bit is
// set, concatenated. They must outlive this object.
class StackPieces final : public Memory {
 public:
  StackPieces(uint64_t address, uint64_t pieces, std::span<const std::byte> bytes)
      : begin_(address), pieces_(pieces), bytes_(bytes) {}

  bool Read(uint64_t address, std::span<std::byte> target) override;

 private:
  uint64_t begin_;
  uint64_t pieces_;
  std::span<const std::byte> bytes_;
};

class RuleSource {
 public:
  virtual ~RuleSource() = default;
  // Returns the rule for an address of the process, or RULE_NONE if there is none. The caller is
  // then guessed.
  virtual bpf::unwind_rule RuleAt(uint64_t address) = 0;
};

struct WalkedFrame {
  uint64_t pc = 0;
  bool is_return_address = false;  // pc follows a call
  bool is_guessed = false;         // found without a rule from the compiler or the linker
  bool is_interpreter = false;     // in the loop of an interpreter
};

class StackWalk {
 public:
  // Both must outlive the walk.
  StackWalk(const bpf::unwind_registers& registers, Memory& memory, RuleSource& rules)
      : registers_(registers), memory_(memory), rules_(rules) {
    FindRule();
  }

  // The current frame; initially the interrupted one.
  WalkedFrame frame() const {
    return {.pc = registers_.pc,
            .is_return_address = is_after_call_,
            .is_guessed = is_guessed_,
            .is_interpreter = (rule_.flags & bpf::RULE_INTERPRETER) != 0};
  }
  const bpf::unwind_registers& registers() const { return registers_; }

  // Moves to the caller. Returns UNWIND_MORE if there is one; any other result ends the walk.
  bpf::unwind_end Step();

 private:
  void FindRule();

  bpf::unwind_registers registers_;
  Memory& memory_;
  RuleSource& rules_;
  bpf::unwind_rule rule_ = {};  // of the current frame
  bool is_after_call_ = false;
  bool is_guessed_ = false;
};

// Visits at most USER_FRAMES_WALKED_MAX frames, leaf first, and returns how unwinding ended.
template <typename Visitor>
bpf::unwind_end Walk(const bpf::unwind_registers& registers, Memory& memory, RuleSource& rules,
                     Visitor&& visit) {
  StackWalk walk(registers, memory, rules);
  for (int count = 1;; ++count) {
    visit(walk.frame());
    const bpf::unwind_end end = walk.Step();
    if (end != bpf::UNWIND_MORE)
      return end;
    if (count == bpf::USER_FRAMES_WALKED_MAX)
      return bpf::UNWIND_TOO_DEEP;
  }
}

}  // namespace flarestack::record::unwind
