// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// One step from a frame to its caller. Shared by the BPF programs and user space, so that both
// unwind identically. Including files must define how memory is read:
//
//   #define UNWIND_READ(memory, target, size, address)        ...   // 0 when all of it was read
//   #define UNWIND_READ_CODE(memory, target, size, address)   ...   // the same for instructions
//
// `memory` is passed through from the caller of unwind_step. The caller also supplies the rule.
#pragma once

#include "record/bpf/layout.h"

#ifdef __cplusplus
namespace flarestack::record::bpf {
#define UNWIND_INLINE inline
#else
#define UNWIND_INLINE static __attribute__((always_inline)) inline
#endif

// Layout of the signal frame, relative to the stack pointer. x86-64: struct ucontext, whose
// registers begin at 40 in their own order. arm64: struct rt_sigframe, x0 at 312.
enum signal_frame {
  X86_SIGNAL_REGISTERS = 40,
  X86_SIGNAL_REGISTER_COUNT = 17,
  ARM64_SIGNAL_REGISTERS = 312,
  ARM64_SIGNAL_REGISTER_COUNT = 33,  // x0 to x30, sp, pc
};

// A code address is neither in the first page nor in the kernel's half. Pointer signatures were
// removed before.
UNWIND_INLINE int unwind_is_code_address(u64 pc) { return pc >= 4096 && (pc >> 56) == 0; }

// Returns whether the code of a rule is never entered by a call. Such a frame is looked up at its
// own address: the one before it belongs to the end of another function.
UNWIND_INLINE int unwind_is_never_called(const struct unwind_rule* rule) {
  return rule->kind == RULE_SIGNAL || (rule->flags & RULE_NOT_CALLED) != 0;
}

// Removes arm64's pointer authentication code from a return address.
UNWIND_INLINE u64 unwind_plain_address(u64 address) {
#if defined(__aarch64__) || defined(__TARGET_ARCH_arm64)
  return address & ((1ull << 48) - 1);
#else
  return address;
#endif
}

#if defined(__x86_64__) || defined(__TARGET_ARCH_x86)
UNWIND_INLINE int unwind_signal(struct unwind_registers* frame, void* memory, u64* saved) {
  if (UNWIND_READ(memory, saved, sizeof(u64) * X86_SIGNAL_REGISTER_COUNT,
                  frame->regs[REG_SP] + X86_SIGNAL_REGISTERS) != 0) {
    return UNWIND_CFA_UNREADABLE;
  }
  // The kernel saves r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip.
  for (int i = 0; i < 8; ++i)
    frame->regs[8 + i] = saved[i];
  frame->regs[5] = saved[8];
  frame->regs[4] = saved[9];
  frame->regs[6] = saved[10];
  frame->regs[3] = saved[11];
  frame->regs[1] = saved[12];
  frame->regs[0] = saved[13];
  frame->regs[2] = saved[14];
  frame->regs[7] = saved[15];
  frame->pc = saved[16];
  return UNWIND_MORE;
}
#else
UNWIND_INLINE int unwind_signal(struct unwind_registers* frame, void* memory, u64* saved) {
  if (UNWIND_READ(memory, saved, sizeof(u64) * ARM64_SIGNAL_REGISTER_COUNT,
                  frame->regs[REG_SP] + ARM64_SIGNAL_REGISTERS) != 0) {
    return UNWIND_CFA_UNREADABLE;
  }
  for (int i = 0; i < 32; ++i)
    frame->regs[i] = saved[i];
  frame->pc = saved[32];
  return UNWIND_MORE;
}
#endif

// Replaces the registers of a frame with those of its caller.
UNWIND_INLINE int unwind_move_to(struct unwind_registers* frame, u64 cfa, u64 return_address) {
  // Only the interrupted frame may have nothing on the stack (arm64). Any other frame without
  // progress would loop.
  if (cfa < frame->regs[REG_SP] || (cfa == frame->regs[REG_SP] && frame->is_return_address)) {
    return UNWIND_STACK_BACKWARDS;
  }
  frame->pc = unwind_plain_address(return_address);
  frame->regs[REG_SP] = cfa;
  frame->is_return_address = 1;
  frame->has_all = 0;
  frame->is_chained = 0;
  if (frame->pc == 0)
    return UNWIND_COMPLETE;
  return unwind_is_code_address(frame->pc) ? UNWIND_MORE : UNWIND_BAD_PC;
}

// Follows the chain of frame pointers. The frame pointer must lie above the stack pointer and close
// to it, so that a register with another value is not mistaken for one.
UNWIND_INLINE int unwind_by_frame_pointer(struct unwind_registers* frame, void* memory) {
  const u64 fp = frame->regs[REG_FP];
  const u64 sp = frame->regs[REG_SP];
  u64 pair[2];
  int end;
  if (fp == 0)
    return UNWIND_COMPLETE;
  if ((fp & 7) != 0 || fp < sp || fp - sp > (1u << 20))
    return UNWIND_NO_RULE;
  if (UNWIND_READ(memory, pair, sizeof(pair), fp) != 0)
    return UNWIND_FRAME_POINTER_UNREADABLE;
  frame->regs[REG_FP] = pair[0];
  end = unwind_move_to(frame, fp + 16, pair[1]);
  frame->is_chained = 1;
  return end;
}

// Returns whether a call instruction ends at this address. Also true if the code cannot be read:
// then the other checks of a guess have to suffice.
UNWIND_INLINE int unwind_follows_call(void* memory, u64 address) {
#if defined(__x86_64__) || defined(__TARGET_ARCH_x86)
  u64 code;  // its last byte directly precedes the address
  int found;
  if (UNWIND_READ_CODE(memory, &code, sizeof(code), address - sizeof(code)) != 0)
    return 1;
  found = ((code >> 24) & 0xff) == 0xe8;  // call rel32
  // call *x: ff and a ModRM byte with 2 in its middle field, followed by up to 5 bytes.
  found |= ((code >> 48) & 0x38ff) == 0x10ff;
  found |= ((code >> 40) & 0x38ff) == 0x10ff;
  found |= ((code >> 32) & 0x38ff) == 0x10ff;
  found |= ((code >> 16) & 0x38ff) == 0x10ff;
  found |= ((code >> 8) & 0x38ff) == 0x10ff;
  return found;
#else
  u32 code;
  if (UNWIND_READ_CODE(memory, &code, sizeof(code), address - sizeof(code)) != 0)
    return 1;
  return (code & 0xfc000000) == 0x94000000      // bl
         || (code & 0xfffffc1f) == 0xd63f0000   // blr
         || (code & 0xfefff800) == 0xd63f0800;  // blraa and variants
#endif
}

// Finds the return address while the frame pointer still is, or again is, that of the caller: at
// the first and last instructions of a function. Returns UNWIND_NO_RULE if the function has set up
// its frame pointer, or if that is unknown.
#if defined(__x86_64__) || defined(__TARGET_ARCH_x86)
UNWIND_INLINE int unwind_at_edge(struct unwind_registers* frame, void* memory) {
  const u64 sp = frame->regs[REG_SP];
  u64 words[2];
  u64 code;  // 4 bytes before pc and 4 after it
  u64 is_pushed;
  if (UNWIND_READ_CODE(memory, &code, sizeof(code), frame->pc - 4) != 0)
    return UNWIND_NO_RULE;
  // push %rbp; mov %rsp,%rbp, with the push done.
  is_pushed = ((code >> 24) & 0xffffffff) == 0xe5894855;
  if (!is_pushed && (code >> 32) != 0xe5894855  // the same, not started
      && (code >> 32) != 0xfa1e0ff3             // endbr64
      && ((code >> 32) & 0xff) != 0xc3) {       // ret
    return UNWIND_NO_RULE;
  }
  if (UNWIND_READ(memory, words, sizeof(words), sp) != 0)
    return UNWIND_RETURN_ADDRESS_UNREADABLE;
  return is_pushed ? unwind_move_to(frame, sp + 16, words[1])
                   : unwind_move_to(frame, sp + 8, words[0]);
}
#else
UNWIND_INLINE int unwind_at_edge(struct unwind_registers* frame, void* memory) {
  u32 code;
  if (UNWIND_READ_CODE(memory, &code, sizeof(code), frame->pc) != 0)
    return UNWIND_NO_RULE;
  // stp x29,x30,[sp,#-n]!; ret; paciasp; bti.
  if ((code & 0xffc07fff) != 0xa9807bfd && code != 0xd65f03c0 && code != 0xd503233f &&
      (code & 0xffffff3f) != 0xd503241f) {
    return UNWIND_NO_RULE;
  }
  return unwind_move_to(frame, frame->regs[REG_SP], frame->regs[ARM64_REG_LR]);
}
#endif

// For frames whose code no table describes. A false frame is worse than a missing one, so the
// return address has to follow a call.
UNWIND_INLINE int unwind_guess(struct unwind_registers* frame, void* memory) {
  int end = UNWIND_NO_RULE;
  if (!frame->is_return_address)
    end = unwind_at_edge(frame, memory);
  // In code without frame pointers the register may have any value, including 0.
  if (end == UNWIND_NO_RULE && (frame->regs[REG_FP] != 0 || frame->is_chained))
    end = unwind_by_frame_pointer(frame, memory);
  if (end == UNWIND_MORE && !unwind_follows_call(memory, frame->pc))
    return UNWIND_NO_RULE;
  return end;
}

UNWIND_INLINE int unwind_find_cfa(const struct unwind_registers* frame,
                                  const struct unwind_rule* rule, void* memory, u64* cfa) {
  const u32 base = rule->cfa_base & (REGISTER_COUNT - 1);
  if (rule->kind == RULE_PLT) {
    *cfa = frame->regs[REG_SP] + 8 + ((frame->pc & 15) >= rule->extra ? 8 : 0);
    return UNWIND_MORE;
  }
  if (base != REG_SP && base != REG_FP && !frame->has_all)
    return UNWIND_REGISTER_LOST;
  *cfa = frame->regs[base] + LAYOUT_CAST(u64, rule->cfa_offset);
  if (rule->flags & RULE_CFA_LOADED) {
    u64 loaded;
    if (UNWIND_READ(memory, &loaded, sizeof(loaded), *cfa) != 0)
      return UNWIND_CFA_UNREADABLE;
    *cfa = loaded + 8ull * rule->extra;
  }
  return UNWIND_MORE;
}

// `saved` has space for REGISTER_COUNT + 1 words. Returns UNWIND_MORE if there is a caller; `frame`
// is then the caller's. With any other result, `frame` is invalid.
UNWIND_INLINE int unwind_step(struct unwind_registers* frame, const struct unwind_rule* rule,
                              void* memory, u64* saved) {
  u64 cfa;
  u64 return_address;
  int end;
  if (rule->kind == RULE_STOP)
    return UNWIND_COMPLETE;
  if (rule->kind == RULE_FRAME_POINTER)
    return unwind_by_frame_pointer(frame, memory);
  if (rule->kind == RULE_SIGNAL) {
    end = unwind_signal(frame, memory, saved);
    if (end != UNWIND_MORE)
      return end;
    frame->is_return_address = 0;
    frame->has_all = 1;
    frame->is_chained = 0;
    return unwind_is_code_address(frame->pc) ? UNWIND_MORE : UNWIND_BAD_PC;
  }
  if (rule->kind != RULE_CFA && rule->kind != RULE_PLT)
    return UNWIND_NO_RULE;
  end = unwind_find_cfa(frame, rule, memory, &cfa);
  if (end != UNWIND_MORE)
    return end;
  if (rule->flags & RULE_RA_IN_REGISTER) {
    if (!frame->has_all)
      return UNWIND_REGISTER_LOST;
    return_address = frame->regs[rule->extra & (REGISTER_COUNT - 1)];
  } else if (UNWIND_READ(memory, &return_address, sizeof(return_address),
                         cfa + LAYOUT_CAST(u64, rule->ra_offset)) != 0) {
    return UNWIND_RETURN_ADDRESS_UNREADABLE;
  }
  if (rule->flags & RULE_FP_SAVED) {
    u64 fp = cfa;
    if (rule->flags & RULE_FP_AT_FP)
      fp = frame->regs[REG_FP];
    if (UNWIND_READ(memory, &fp, sizeof(fp), fp + LAYOUT_CAST(u64, rule->fp_offset)) == 0) {
      frame->regs[REG_FP] = fp;
    } else if (!(rule->flags & RULE_FP_AT_FP)) {
      return UNWIND_FRAME_POINTER_UNREADABLE;
    }
    // If unreadable at fp, it already is the caller's: compilers do not describe when an epilogue
    // loads it.
  }
  if (rule->flags & RULE_OTHER_STACK)
    frame->regs[REG_SP] = 0;  // any address is above
  end = unwind_move_to(frame, cfa, return_address);
  if (end == UNWIND_MORE && (rule->flags & RULE_FROM_CODE) &&
      !unwind_follows_call(memory, frame->pc)) {
    return UNWIND_NO_RULE;
  }
  return end;
}

#ifdef __cplusplus
}  // namespace flarestack::record::bpf
#endif
