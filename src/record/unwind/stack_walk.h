// SPDX-License-Identifier: Apache-2.0
//
// Walks along a stack in user space, by the same step as the kernel's side: for stacks that were
// copied because their tables were not loaded yet, and for a process that profiles itself.
//
//   CopiedStack stack(registers.regs[bpf::REG_SP], bytes);
//   const bpf::unwind_end end =
//       Walk(registers, stack, rules, [&](const WalkedFrame& frame) { frames.push_back(frame); });
//
// Nothing is allocated. Only for the machine we run on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "record/bpf/layout.h"

namespace flarestack::record::unwind {

class Memory {
 public:
  virtual ~Memory() = default;
  // False when not all of it can be read.
  virtual bool Read(uint64_t address, std::span<std::byte> target) = 0;
  // The same for instructions, which need not be where the stack is. Without them some checks are
  // left out.
  virtual bool ReadCode(uint64_t /*address*/, std::span<std::byte> /*target*/) { return false; }
};

// The bytes of a stack from its stack pointer upwards. They must outlive it.
class CopiedStack final : public Memory {
 public:
  CopiedStack(uint64_t stack_pointer, std::span<const std::byte> bytes)
      : begin_(stack_pointer), bytes_(bytes) {}

  bool Read(uint64_t address, std::span<std::byte> target) override;

 private:
  uint64_t begin_;
  std::span<const std::byte> bytes_;
};

// The pieces of a stack that the kernel's side could read, as its message has them: the bytes of
// those whose bit is set, one behind the other. They must outlive it.
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
  // For an address of the process. RULE_NONE when nothing is known about it: then the caller is
  // guessed.
  virtual bpf::unwind_rule RuleAt(uint64_t address) = 0;
};

struct WalkedFrame {
  uint64_t pc = 0;
  bool is_return_address = false;  // the call is right before pc
  bool is_guessed = false;         // found without a rule of the compiler or the linker
};

class StackWalk {
 public:
  // Both must outlive the walk.
  StackWalk(const bpf::unwind_registers& registers, Memory& memory, RuleSource& rules)
      : registers_(registers), memory_(memory), rules_(rules) {
    FindRule();
  }

  // The frame at hand; the interrupted one at first.
  WalkedFrame frame() const {
    return {.pc = registers_.pc, .is_return_address = is_after_call_, .is_guessed = is_guessed_};
  }
  const bpf::unwind_registers& registers() const { return registers_; }

  // To the caller. UNWIND_MORE when there is one; after anything else the walk is over.
  bpf::unwind_end Step();

 private:
  void FindRule();

  bpf::unwind_registers registers_;
  Memory& memory_;
  RuleSource& rules_;
  bpf::unwind_rule rule_ = {};  // of the frame at hand
  bool is_after_call_ = false;
  bool is_guessed_ = false;
};

// Visits at most USER_FRAMES_WALKED_MAX frames, leaf first, and says how it ended.
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
