// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// One step from a frame of HotSpot's generated code to its caller. Shared by the BPF programs and
// user space. Include unwind_step.h first, and define how memory outside the stack is read:
//
//   #define UNWIND_READ_DATA(memory, target, size, address)   ...   // 0 when all of it was read
//
//   if (java_has_code(&process, registers.pc))
//     end = java_step(&process, &registers, memory, scratch, words);
//
// The heap's segment map leads from pc to the blob that contains it. Frames of a blob have a fixed
// size, except in the interpreter, whose frames are linked by the frame pointer, and in stubs that
// HotSpot itself cannot walk. An interrupted frame may be incomplete: the instructions around pc
// tell, and a return address is checked to follow a call in generated code.
#pragma once

#include "record/bpf/java_process.h"
#include "record/bpf/unwind_step.h"

#ifdef __cplusplus
namespace flarestack::record::bpf {
#endif

// ---- Finding code ------------------------------------------------------------------------------

UNWIND_INLINE int java_has_code(const struct java_process* process, u64 pc) {
  int found = 0;
  for (int i = 0; i < JAVA_HEAPS_MAX; ++i)
    found |= pc >= process->heaps[i].begin && pc < process->heaps[i].end;
  return found;
}

UNWIND_INLINE int java_is_interpreter(const struct java_process* process, u64 pc) {
  return pc - process->interpreter < process->interpreter_bytes;
}

// Returns whether generated code can return to this address. The interpreter stores return
// addresses without a call.
UNWIND_INLINE int java_is_return(const struct java_process* process, void* memory, u64 address) {
  return java_has_code(process, address) &&
         (java_is_interpreter(process, address) || unwind_follows_call(memory, address));
}

// Returns the address of the block that contains pc, or 0.
UNWIND_INLINE u64 java_find_block(const struct java_process* process, void* memory, u64 pc) {
  const u32 shift = process->segment_shift & 31;
  struct java_heap heap = {0, 0, 0};
  u64 segment;
  for (int i = 0; i < JAVA_HEAPS_MAX; ++i) {
    if (pc >= process->heaps[i].begin && pc < process->heaps[i].end)
      heap = process->heaps[i];
  }
  if (heap.end == 0)
    return 0;
  segment = (pc - heap.begin) >> shift;
  for (int i = 0; i < JAVA_SEGMENT_HOPS; ++i) {
    u8 back = 0;
    if (UNWIND_READ_DATA(memory, &back, sizeof(back), heap.segment_map + segment) != 0)
      return 0;
    if (back == 0)
      return heap.begin + (segment << shift);
    if (back == 0xff || back > segment)
      return 0;
    segment -= back;
  }
  return 0;
}

// ---- The words of a frame ----------------------------------------------------------------------

UNWIND_INLINE u64 java_scratch_word(const u64* scratch, u32 offset) {
  return scratch[(offset >> 3) & (JAVA_SCRATCH_WORDS - 1)];
}

UNWIND_INLINE u32 java_scratch_int(const u64* scratch, u32 offset) {
  return LAYOUT_CAST(u32, java_scratch_word(scratch, offset) >> ((offset & 7) * 8));
}

UNWIND_INLINE u32 java_stub_identity(u64 name) { return LAYOUT_CAST(u32, name ^ (name >> 32)); }

// Identifies a method by what it consists of: the Method itself stays when a class is redefined.
UNWIND_INLINE u32 java_method_identity(u64 const_method, u32 code_size) {
  return LAYOUT_CAST(u32, const_method >> 3) + code_size * 0x9e3779b1u;
}

UNWIND_INLINE void java_set_words(u64* words, u64 kind, u64 address, u64 operand) {
  words[0] = (LAYOUT_CAST(u64, FRAME_JAVA) << FRAME_KIND_SHIFT) | (kind << JAVA_KIND_SHIFT) |
             (address & JAVA_ADDRESS_MASK);
  words[1] = (LAYOUT_CAST(u64, FRAME_OPERAND) << FRAME_KIND_SHIFT) | operand;
}

// `bcp` is one of two candidates for the address of the bytecode; the first that lies in the method
// is taken. Returns 0 if the method cannot be read, with words that say so.
UNWIND_INLINE int java_name_method(const struct java_process* process, void* memory, u64 method,
                                   const u64 bcp[2], u64* words) {
  u64 const_method = 0;
  u64 bci = JAVA_NO_BCI;
  u64 codes;
  u16 code_size = 0;
  java_set_words(words, JAVA_INTERPRETED, method, JAVA_NO_BCI << JAVA_POSITION_SHIFT);
  if (UNWIND_READ_DATA(memory, &const_method, sizeof(const_method),
                       method + process->method_const) != 0 ||
      UNWIND_READ_DATA(memory, &code_size, sizeof(code_size),
                       const_method + process->const_method_code_size) != 0) {
    return 0;
  }
  codes = const_method + process->const_method_bytes;
  if (bcp[1] - codes < code_size)
    bci = bcp[1] - codes;
  if (bcp[0] - codes < code_size)
    bci = bcp[0] - codes;
  java_set_words(words, JAVA_INTERPRETED, method,
                 (bci << JAVA_POSITION_SHIFT) | java_method_identity(const_method, code_size));
  return 1;
}

// ---- Moving to the caller ----------------------------------------------------------------------

// The return address is the last word below `cfa`.
UNWIND_INLINE int java_return(struct unwind_registers* frame, void* memory, u64 cfa) {
  u64 return_address;
  if (UNWIND_READ(memory, &return_address, sizeof(return_address), cfa - 8) != 0)
    return UNWIND_RETURN_ADDRESS_UNREADABLE;
  return unwind_move_to(frame, cfa, return_address);
}

// The same, with the caller's frame pointer below the return address.
UNWIND_INLINE int java_return_saved(struct unwind_registers* frame, void* memory, u64 cfa) {
  u64 fp;
  if (UNWIND_READ(memory, &fp, sizeof(fp), cfa - 16) != 0)
    return UNWIND_FRAME_POINTER_UNREADABLE;
  frame->regs[REG_FP] = fp;
  return java_return(frame, memory, cfa);
}

UNWIND_INLINE int java_is_near(u64 address, u64 sp) {
  return (address & 7) == 0 && address >= sp && address - sp < JAVA_FRAME_BYTES_MAX;
}

// Reads a word of the stack. Returns 0 if that is impossible, which is never a return address.
UNWIND_INLINE u64 java_stack_word(void* memory, u64 address) {
  u64 word = 0;
  if (UNWIND_READ(memory, &word, sizeof(word), address) != 0)
    return 0;
  return word;
}

// Code may push a few words for a moment, such as arguments of a stub. Returns where the frame
// ends, `cfa` or a few words above it: the word before has to be the address of generated code.
UNWIND_INLINE u64 java_skip_pushed(const struct java_process* process, void* memory, u64 cfa) {
  u64 end = cfa;
  for (int i = 0; i < JAVA_PUSHED_WORDS; ++i) {
    if (!java_has_code(process, java_stack_word(memory, end - 8)))
      end += 8;
  }
  return java_has_code(process, java_stack_word(memory, end - 8)) ? end : cfa;
}

// ---- Compiled code -----------------------------------------------------------------------------

enum java_frame_state {
  JAVA_FRAME_COMPLETE = 0,
  JAVA_FRAME_ABSENT = 1,   // x86-64: the return address is on top; arm64: in its register
  JAVA_FRAME_PUSHED = 2,   // only the frame pointer was pushed
  JAVA_FRAME_UNSAVED = 3,  // has its size, but the frame pointer is still the caller's
};

#if defined(__x86_64__) || defined(__TARGET_ARCH_x86)

enum { JAVA_BCP_REGISTER = 13, JAVA_METHOD_REGISTER = 3, JAVA_SENDER_SP_REGISTER = 13 };

// `before` ends at pc and `after` begins there. `is_early`: the frame is not complete by HotSpot's
// account; `is_entry`: nothing of the method has run.
UNWIND_INLINE int java_state_of_code(u64 before, u64 after, int is_early, int is_entry) {
  const u32 next = LAYOUT_CAST(u32, after & 0xffffff);
  const u32 last = LAYOUT_CAST(u32, before >> 56);
  const int is_sub = next == 0xec8348 || next == 0xec8148;  // sub $x,%rsp
  const int is_mov = next == 0xec8b48 || next == 0xe58948;  // mov %rsp,%rbp
  const int was_mov = (before >> 40) == 0xec8b48 || (before >> 40) == 0xe58948;
  const int was_sub =
      ((before >> 32) & 0xffffff) == 0xec8348 || ((before >> 8) & 0xffffff) == 0xec8148;
  const int was_add =
      ((before >> 32) & 0xffffff) == 0xc48348 || ((before >> 8) & 0xffffff) == 0xc48148;
  if (is_entry || (after & 0xff) == 0xc3)  // ret
    return JAVA_FRAME_ABSENT;
  if (is_sub || is_mov) {
    if (last == 0x55 || was_mov)  // push %rbp
      return JAVA_FRAME_PUSHED;
    if (is_early && is_sub)
      return JAVA_FRAME_ABSENT;
  }
  // push %rbp, followed by one of the above.
  if ((after & 0xff) == 0x55 && (is_early || ((after >> 8) & 0xff) == 0x48))
    return JAVA_FRAME_ABSENT;
  if (is_early && next == 0x248489)  // mov %eax,-x(%rsp), which checks the size of the stack
    return JAVA_FRAME_ABSENT;
  if (was_sub && ((after & 0xffffffff) == 0x246c8948 || (after & 0xffffffff) == 0x24ac8948))
    return JAVA_FRAME_UNSAVED;            // mov %rbp,x(%rsp)
  if (was_add && (after & 0xff) == 0x5d)  // pop %rbp
    return JAVA_FRAME_PUSHED;
  return JAVA_FRAME_COMPLETE;
}

// Returns whether the frame pointer was popped shortly before pc: a poll for safepoints follows.
UNWIND_INLINE int java_was_popped(u64 before, u64 after) {
  const u32 next = LAYOUT_CAST(u32, after & 0xffff);
  const u32 last = LAYOUT_CAST(u32, before >> 56);
  const int is_poll = next == 0x3b49 || next == 0x8349 || next == 0x8b4d || next == 0x0585;
  const int was_add = ((before >> 24) & 0xffffff) == 0xc48348 || (before & 0xffffff) == 0xc48148;
  return (last == 0x5d && (is_poll || was_add)) ||       // pop %rbp
         (last == 0xc9 && is_poll) ||                    // leave
         (before & 0xffffffff) == 0xa73b495d ||          // pop, cmp x(%r15),%rsp
         ((before >> 24) & 0xffffffff) == 0x673b495d ||  // with a short offset
         (before & 0xffffffff) == 0x978b4d5d ||          // pop, mov x(%r15),%r10
         ((before >> 24) & 0xffffffff) == 0x578b4d5d;
}

UNWIND_INLINE int java_step_interrupted(const struct java_process* process,
                                        struct unwind_registers* frame, void* memory, u64 cfa,
                                        int is_early, int is_entry) {
  const u64 sp = frame->regs[REG_SP];
  u64 code[2];
  int state = JAVA_FRAME_COMPLETE;
  if (UNWIND_READ_DATA(memory, code, sizeof(code), frame->pc - 8) == 0) {
    state = java_state_of_code(code[0], code[1], is_early, is_entry);
    if (state == JAVA_FRAME_COMPLETE && java_was_popped(code[0], code[1]) &&
        java_is_return(process, memory, java_stack_word(memory, sp))) {
      state = JAVA_FRAME_ABSENT;
    }
  }
  if (state == JAVA_FRAME_COMPLETE && !java_has_code(process, java_stack_word(memory, cfa - 8))) {
    if (java_is_return(process, memory, java_stack_word(memory, sp)))
      state = JAVA_FRAME_ABSENT;
    else if (java_is_return(process, memory, java_stack_word(memory, sp + 8)))
      state = JAVA_FRAME_PUSHED;
  }
  if (state == JAVA_FRAME_COMPLETE)
    cfa = java_skip_pushed(process, memory, cfa);
  if (state == JAVA_FRAME_ABSENT)
    return java_return(frame, memory, sp + 8);
  if (state == JAVA_FRAME_PUSHED)
    return java_return_saved(frame, memory, sp + 16);
  if (state == JAVA_FRAME_UNSAVED)
    return java_return(frame, memory, cfa);
  return java_return_saved(frame, memory, cfa);
}

#else

enum { JAVA_BCP_REGISTER = 22, JAVA_METHOD_REGISTER = 12, JAVA_SENDER_SP_REGISTER = 19 };

// `before` are the four instructions before pc, `next` the one at pc.
UNWIND_INLINE int java_state_of_code(const u32* before, u32 next, int is_early, int is_entry) {
  const int was_load = (before[3] & 0xffc07fff) == 0xa9407bfd;  // ldp x29,x30,[sp,#x]
  const int was_push = (before[3] & 0xffc07fff) == 0xa9807bfd;  // stp x29,x30,[sp,#-16]!
  const int is_add = (next & 0xff8003ff) == 0x910003ff;         // add sp,sp,#x
  int was_popped = 0;
  for (int i = 0; i < 4; ++i) {
    was_popped |= (before[i] & 0xffc07fff) == 0xa8c07bfd;  // ldp x29,x30,[sp],#16
    if (i > 0) {
      was_popped |=
          (before[i - 1] & 0xffc07fff) == 0xa9407bfd && (before[i] & 0xff8003ff) == 0x910003ff;
    }
  }
  if (is_entry || was_popped || next == 0xd65f03c0)  // ret
    return JAVA_FRAME_ABSENT;
  if (is_early && (next & 0xff8003ff) == 0xd10003ff)  // sub sp,sp,#x
    return was_push ? JAVA_FRAME_PUSHED : JAVA_FRAME_ABSENT;
  if (is_early && (next & 0xffc07fff) == 0xa9807bfd)
    return JAVA_FRAME_ABSENT;
  if (is_early && (next & 0xffc07fff) == 0xa9007bfd)  // stp x29,x30,[sp,#x]
    return JAVA_FRAME_UNSAVED;
  return was_load && is_add ? JAVA_FRAME_UNSAVED : JAVA_FRAME_COMPLETE;
}

UNWIND_INLINE int java_step_interrupted(const struct java_process* process,
                                        struct unwind_registers* frame, void* memory, u64 cfa,
                                        int is_early, int is_entry) {
  const u64 sp = frame->regs[REG_SP];
  u32 code[6];
  int state = JAVA_FRAME_COMPLETE;
  (void)process;
  if (UNWIND_READ_DATA(memory, code, sizeof(code), frame->pc - 16) == 0)
    state = java_state_of_code(code, code[4], is_early, is_entry);
  if (state == JAVA_FRAME_ABSENT)
    return unwind_move_to(frame, sp, frame->regs[ARM64_REG_LR]);
  if (state == JAVA_FRAME_PUSHED)
    return java_return_saved(frame, memory, sp + 16);
  if (state == JAVA_FRAME_UNSAVED)
    return unwind_move_to(frame, cfa, frame->regs[ARM64_REG_LR]);
  return java_return_saved(frame, memory, cfa);
}

#endif

// ---- Stubs -------------------------------------------------------------------------------------

// Returns whether a stub, whose code begins at `code`, sets up a frame pointer first.
UNWIND_INLINE int java_stub_has_fp(void* memory, u64 code) {
  u32 first = 0;
  if (UNWIND_READ_DATA(memory, &first, sizeof(first), code) != 0)
    return 0;
#if defined(__x86_64__) || defined(__TARGET_ARCH_x86)
  return first == 0xec8b4855 || first == 0xe5894855;  // push %rbp; mov %rsp,%rbp
#else
  return (first & 0xffc07fff) == 0xa9807bfd;  // stp x29,x30,[sp,#-x]!
#endif
}

// Returns whether the frame pointer is that of a stub with this return address, rather than of an
// interpreted frame above, which has the stack pointer of its caller below the frame pointer.
UNWIND_INLINE int java_is_stub_frame(const struct java_process* process,
                                     const struct unwind_registers* frame, void* memory,
                                     u64 return_address) {
  const u64 fp = frame->regs[REG_FP];
  return fp - frame->regs[REG_SP] <= JAVA_STUB_BYTES_MAX &&
         !java_is_near(java_stack_word(memory, fp - 8), fp + 16) &&
         java_is_return(process, memory, return_address);
}

// Follows the frame pointer. The stub that is called at the entry of compiled methods has a word of
// all ones before its return address.
UNWIND_INLINE int java_step_frame_pointer(struct unwind_registers* frame, void* memory) {
  const u64 fp = frame->regs[REG_FP];
  if (java_stack_word(memory, fp + 8) != ~0ull)
    return java_return_saved(frame, memory, fp + 16);
  frame->regs[REG_FP] = java_stack_word(memory, fp);
  return java_return(frame, memory, fp + 24);
}

// The caller of an interrupted stub. Stubs move the stack pointer at will, so each place where the
// return address may be is tried: on top, after the size of the frame (`sized`, 0: unknown), at the
// frame pointer, and in the words near the top.
UNWIND_INLINE int java_step_interrupted_stub(const struct java_process* process,
                                             struct unwind_registers* frame, void* memory,
                                             u64 sized, u64 code) {
  const u64 sp = frame->regs[REG_SP];
  const u64 fp = frame->regs[REG_FP];
  u64 by_fp = 0;
  int has_fp = 0;
  if (java_is_near(fp, sp))
    by_fp = java_stack_word(memory, fp + 8);
  if (by_fp == ~0ull)
    return java_step_frame_pointer(frame, memory);
  if (by_fp != 0)
    has_fp = java_is_stub_frame(process, frame, memory, by_fp);
#if defined(__x86_64__) || defined(__TARGET_ARCH_x86)
  u64 bytes[2];
  if ((!has_fp || sized != 0) && java_is_return(process, memory, java_stack_word(memory, sp)))
    return java_return(frame, memory, sp + 8);
  if (UNWIND_READ_DATA(memory, bytes, sizeof(bytes), frame->pc - 8) == 0 &&
      java_state_of_code(bytes[0], bytes[1], 0, 0) == JAVA_FRAME_PUSHED &&
      java_is_return(process, memory, java_stack_word(memory, sp + 8))) {
    return java_return_saved(frame, memory, sp + 16);
  }
  // Calls through method handles pop an argument from below the return address.
  if (!has_fp && sized == 0 && java_is_return(process, memory, frame->regs[X86_REG_RAX]))
    return unwind_move_to(frame, sp, frame->regs[X86_REG_RAX]);
#else
  if (java_is_return(process, memory, unwind_plain_address(frame->regs[ARM64_REG_LR])))
    return unwind_move_to(frame, sp, frame->regs[ARM64_REG_LR]);
#endif
  if (sized != 0 && !java_is_return(process, memory, java_stack_word(memory, sized - 8)))
    sized = 0;
  // The frame pointer may be that of a frame above.
  if (sized != 0 && fp + 16 >= sized)
    by_fp = 0;
  if (java_has_code(process, by_fp) && (sized != 0 || has_fp || java_stub_has_fp(memory, code)))
    return java_return_saved(frame, memory, fp + 16);
  if (sized != 0)
    return java_return_saved(frame, memory, sized);
  for (u64 i = 1; i < JAVA_STUB_SLOTS; ++i) {
    if (java_is_return(process, memory, java_stack_word(memory, sp + 8 * i)))
      return java_return(frame, memory, sp + 8 * i + 8);
  }
  if (by_fp != 0 && unwind_follows_call(memory, by_fp))  // called by native code
    return java_return_saved(frame, memory, fp + 16);
  return UNWIND_NO_RULE;
}

// An adapter moves the arguments of a call between registers and the stack. Meanwhile the return
// address is in a register, and so is the stack pointer of the caller. Returns UNWIND_NO_RULE and
// leaves `frame` unchanged if that is not so.
UNWIND_INLINE int java_step_adapter(const struct java_process* process,
                                    struct unwind_registers* frame, void* memory) {
  const u64 sp = frame->regs[REG_SP];
  const u64 sender_sp = frame->regs[JAVA_SENDER_SP_REGISTER];
#if defined(__x86_64__) || defined(__TARGET_ARCH_x86)
  const u64 return_address = frame->regs[X86_REG_RAX];
  const int is_on_top = java_is_return(process, memory, java_stack_word(memory, sp));
  if (is_on_top && (sender_sp == sp + 8 || !java_is_near(sender_sp, sp)))
    return java_return(frame, memory, sp + 8);
#else
  const u64 return_address = unwind_plain_address(frame->regs[ARM64_REG_LR]);
#endif
  if (!java_is_return(process, memory, return_address))
    return UNWIND_NO_RULE;
  return unwind_move_to(frame, java_is_near(sender_sp, sp) ? sender_sp : sp, return_address);
}

// Stubs that call anything have a frame of a known size or a frame pointer.
UNWIND_INLINE int java_step_called_stub(const struct java_process* process,
                                        struct unwind_registers* frame, void* memory, u64 sized) {
  const u64 sp = frame->regs[REG_SP];
  const u64 fp = frame->regs[REG_FP];
  // Native code called this one. Its lowest word is half unused, and what was there before may make
  // it look like a return address.
  if (frame->pc == process->call_return && java_is_near(fp, sp))
    return java_step_frame_pointer(frame, memory);
  // Some stubs replace their frame with one that has only a frame pointer.
  if (sized != 0 &&
      (java_has_code(process, java_stack_word(memory, sized - 8)) || !java_is_near(fp, sp) ||
       !java_has_code(process, java_stack_word(memory, fp + 8)))) {
    return java_return_saved(frame, memory, sized);
  }
  if (sized != 0)
    return java_return_saved(frame, memory, fp + 16);
  // The first frame of a virtual thread returns to a stub that no code calls.
  if (process->continuation_return != 0 && !unwind_follows_call(memory, frame->pc)) {
    frame->pc = process->continuation_return;
    return UNWIND_MORE;
  }
  // Code that handles exceptions runs after the frame of its method is gone.
  if (java_is_return(process, memory, java_stack_word(memory, sp)))
    return java_return(frame, memory, sp + 8);
  if (java_is_return(process, memory, java_stack_word(memory, sp + 8)))
    return java_return(frame, memory, sp + 16);
  if (!java_is_near(fp, sp))
    return UNWIND_NO_RULE;
  return java_step_frame_pointer(frame, memory);
}

// ---- The interpreter ---------------------------------------------------------------------------

// Code that enters or leaves a method in the interpreter, without a frame of its own. The return
// address is on top of the stack or in a register, and the caller's stack pointer in another.
// Leaves `frame` unchanged and returns UNWIND_NO_RULE if that is not so.
UNWIND_INLINE int java_step_frameless(const struct java_process* process,
                                      struct unwind_registers* frame, void* memory, int is_entry) {
  const u64 sp = frame->regs[REG_SP];
#if defined(__x86_64__) || defined(__TARGET_ARCH_x86)
  const u64 sender_sp = is_entry ? frame->regs[JAVA_SENDER_SP_REGISTER] : frame->regs[3];
  u64 return_address = java_stack_word(memory, sp);
  u64 cfa = sp + 8;
  if (!java_is_return(process, memory, return_address)) {
    // The entry pops it into rax; the exit into r13 or, from native methods, rdi.
    return_address = is_entry ? frame->regs[X86_REG_RAX] : frame->regs[JAVA_BCP_REGISTER];
    cfa = sp;
    if (!is_entry && !java_is_return(process, memory, return_address))
      return_address = frame->regs[5];
    // After the entry has pushed it again, the register keeps its value for a while.
    if (!java_is_return(process, memory, return_address) ||
        (is_entry && !java_is_near(sender_sp, sp))) {
      return UNWIND_NO_RULE;
    }
    if (is_entry && sender_sp - sp >= 16 && java_stack_word(memory, sp + 8) == return_address)
      frame->regs[REG_FP] = java_stack_word(memory, sp);  // was pushed
  }
#else
  const u64 sender_sp = frame->regs[JAVA_SENDER_SP_REGISTER];
  const u64 return_address = unwind_plain_address(frame->regs[ARM64_REG_LR]);
  const u64 cfa = sp;
  (void)is_entry;
  if (!java_is_return(process, memory, return_address))
    return UNWIND_NO_RULE;
#endif
  return unwind_move_to(frame, java_is_near(sender_sp, cfa) ? sender_sp : cfa, return_address);
}

// An intrinsic that called a stub. Only its return address is on the stack. If compiled code called
// it, an adapter has copied the return address from where the caller's frame ends.
UNWIND_INLINE int java_step_intrinsic(const struct java_process* process,
                                      struct unwind_registers* frame, void* memory) {
  const u64 sp = frame->regs[REG_SP];
  const u64 return_address = java_stack_word(memory, sp);
  u64 cfa = sp + 8;
  if (!java_is_return(process, memory, return_address))
    return UNWIND_NO_RULE;
  for (u64 i = JAVA_INTRINSIC_SLOTS; i > 1; --i) {
    if (!java_is_interpreter(process, return_address) &&
        java_stack_word(memory, sp + 8 * i) == return_address)
      cfa = sp + 8 * i + 8;
  }
  return unwind_move_to(frame, cfa, return_address);
}

// A frame that is being entered: the frame pointer is set, the method not stored yet.
UNWIND_INLINE int java_step_entered(struct unwind_registers* frame, void* memory) {
  const u64 sp = frame->regs[REG_SP];
  const u64 fp = frame->regs[REG_FP];
  u64 cfa = frame->regs[JAVA_SENDER_SP_REGISTER];
  u64 return_address;
  if (fp != sp)
    cfa = java_stack_word(memory, fp - 8);
  return_address = java_stack_word(memory, fp + 8);
  if (!java_is_near(cfa, fp + 16))
    cfa = fp + 16;
  frame->regs[REG_FP] = java_stack_word(memory, fp);
  return unwind_move_to(frame, cfa, return_address);
}

UNWIND_INLINE int java_step_interpreted(const struct java_process* process,
                                        struct unwind_registers* frame, void* memory, u64* scratch,
                                        u64* words) {
  const u64 fp = frame->regs[REG_FP];
  const u64 sp = frame->regs[REG_SP];
  const u64 position = frame->pc - process->interpreter;
  const int is_entry = !frame->is_return_address && position >= process->entries_begin &&
                       position < process->entries_end;
  u64* slots = scratch + JAVA_BLOB_WORDS;  // the frame pointer points to slots[10]
  u64 bcp[2] = {0, 0};
  u64 cfa;
  int end;
  int has_frame =
      java_is_near(fp, sp) && UNWIND_READ(memory, slots, JAVA_INTERPRETED_WORDS * 8, fp - 80) == 0;
  java_set_words(words, JAVA_STUB, process->interpreter, position << JAVA_POSITION_SHIFT);
  if (is_entry && (!has_frame || fp - sp < 24 || slots[7] != frame->regs[JAVA_METHOD_REGISTER])) {
    // The frame is that of the caller, or belongs to the method but is not complete.
    java_name_method(process, memory, frame->regs[JAVA_METHOD_REGISTER], bcp, words);
    if (has_frame && fp - sp < 24)
      return java_step_entered(frame, memory);
    end = java_step_frameless(process, frame, memory, 1);
    if (end != UNWIND_NO_RULE)
      return end;
  }
  if (frame->is_return_address && position >= process->intrinsics_begin &&
      position < process->intrinsics_end) {
    return java_step_intrinsic(process, frame, memory);
  }
  if (has_frame) {
    if (!frame->is_return_address)
      bcp[0] = frame->regs[JAVA_BCP_REGISTER];
    bcp[1] = slots[(10 - process->interpreted_bcp) & 7];
    has_frame = java_has_code(process, slots[11]);
    // A frame that deoptimization has just made may not have its method yet.
    if (has_frame && !java_name_method(process, memory, slots[7], bcp, words)) {
      has_frame = frame->is_return_address;
      java_set_words(words, JAVA_STUB, process->interpreter, position << JAVA_POSITION_SHIFT);
    }
  }
  if (!has_frame)
    return frame->is_return_address ? UNWIND_NO_RULE
                                    : java_step_frameless(process, frame, memory, 0);
  cfa = slots[9];
  if (!java_is_near(cfa, fp + 16))
    cfa = fp + 16;
  frame->regs[REG_FP] = slots[10];
  return unwind_move_to(frame, cfa, slots[11]);
}

// ---- One step ----------------------------------------------------------------------------------

// Returns the address of the first instruction of a blob, whose header is in `scratch`.
UNWIND_INLINE u64 java_code(const struct java_process* process, const u64* scratch, u64 block) {
  if (process->flags & JAVA_CODE_IS_POINTER)
    return java_scratch_word(scratch, process->blob_code);
  return block + process->block_header_bytes + java_scratch_int(scratch, process->blob_code);
}

// Returns the address of the first instruction of an nmethod without checks of its receiver.
UNWIND_INLINE u64 java_entry(const struct java_process* process, void* memory, u64 block,
                             u64 code) {
  u64 entry = 0;
  if (UNWIND_READ_DATA(memory, &entry, sizeof(entry), block + process->nmethod_entry) != 0)
    return 0;
  return process->flags & JAVA_ENTRY_IS_POINTER ? entry : code + (entry & 0xffff);
}

// Returns the end of the code that sets up the frame, or 0 if that is unknown.
UNWIND_INLINE u64 java_frame_complete(const struct java_process* process, const u64* scratch,
                                      u64 code) {
  const u64 offset = java_scratch_int(scratch, process->blob_frame_complete) & 0xffff;
  return offset < 0x8000 ? code + offset : 0;
}

UNWIND_INLINE int java_step_compiled(const struct java_process* process,
                                     struct unwind_registers* frame, void* memory,
                                     const u64* scratch, u64 block) {
  const u64 frame_words = java_scratch_int(scratch, process->blob_frame_size);
  const u64 cfa = frame->regs[REG_SP] + 8 * frame_words;
  const u64 code = java_code(process, scratch, block);
  const int is_early = frame->pc < java_frame_complete(process, scratch, code);
  if (frame_words > JAVA_FRAME_WORDS_MAX)
    return UNWIND_BAD_RULE;
  if (frame->is_return_address)
    return java_return_saved(frame, memory, java_skip_pushed(process, memory, cfa));
  return java_step_interrupted(process, frame, memory, cfa, is_early,
                               is_early && frame->pc <= java_entry(process, memory, block, code));
}

UNWIND_INLINE int java_step_stub(const struct java_process* process, struct unwind_registers* frame,
                                 void* memory, const u64* scratch, u64 block) {
  const u64 code = java_code(process, scratch, block);
  const u64 complete = java_frame_complete(process, scratch, code);
  u64 sized = java_scratch_int(scratch, process->blob_frame_size);
  sized = sized == 0 || sized > JAVA_FRAME_WORDS_MAX ? 0 : frame->regs[REG_SP] + 8 * sized;
  if (frame->is_return_address)
    return java_step_called_stub(process, frame, memory, sized);
  if (java_stub_identity(java_scratch_word(scratch, process->blob_name)) ==
      process->adapter_identity) {
    const int end = java_step_adapter(process, frame, memory);
    if (end != UNWIND_NO_RULE)
      return end;
  }
  if (sized != 0 && complete != 0 && frame->pc >= complete)
    return java_step_interrupted(process, frame, memory, sized, 0, 0);
  return java_step_interrupted_stub(process, frame, memory, sized, code);
}

// Fills the two words of a frame whose pc lies in a code heap, and moves `frame` to its caller.
// `scratch` has space for JAVA_SCRATCH_WORDS. Returns UNWIND_MORE if there is a caller. With any
// other result `frame` is invalid; `words` are valid unless words[0] is 0.
UNWIND_INLINE int java_step(const struct java_process* process, struct unwind_registers* frame,
                            void* memory, u64* scratch, u64* words) {
  const u64 is_return = frame->is_return_address ? JAVA_RETURN_ADDRESS : 0;
  const u64 pc = frame->pc;
  u64 block;
  u64 blob;
  words[0] = 0;
  words[1] = 0;
  if (java_is_interpreter(process, pc))
    return java_step_interpreted(process, frame, memory, scratch, words);
  block = java_find_block(process, memory, pc);
  if (block == 0 || UNWIND_READ_DATA(memory, scratch, JAVA_BLOB_WORDS * 8, block) != 0 ||
      (java_scratch_int(scratch, process->block_used) & 0xff) == 0) {
    return UNWIND_NO_RULE;
  }
  blob = block + process->block_header_bytes;
  if ((java_scratch_int(scratch, process->blob_header_size) & 0xffff) == process->nmethod_bytes) {
    u32 compile_id = 0;
    if (UNWIND_READ_DATA(memory, &compile_id, sizeof(compile_id),
                         block + process->nmethod_compile_id) != 0) {
      compile_id = 0;
    }
    java_set_words(words, JAVA_COMPILED, blob,
                   is_return |
                       (((pc - java_code(process, scratch, block)) & JAVA_POSITION_MASK)
                        << JAVA_POSITION_SHIFT) |
                       compile_id);
    return java_step_compiled(process, frame, memory, scratch, block);
  }
  java_set_words(words, JAVA_STUB, blob,
                 is_return | (((pc - blob) & JAVA_POSITION_MASK) << JAVA_POSITION_SHIFT) |
                     java_stub_identity(java_scratch_word(scratch, process->blob_name)));
  return java_step_stub(process, frame, memory, scratch, block);
}

#ifdef __cplusplus
}  // namespace flarestack::record::bpf
#endif
