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
  words[0] =
      (FRAME_JAVA << FRAME_KIND_SHIFT) | (kind << JAVA_KIND_SHIFT) | (address & JAVA_ADDRESS_MASK);
  words[1] = (FRAME_OPERAND << FRAME_KIND_SHIFT) | operand;
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
UNWIND_INLINE int java_was_popped(u64 before) {
  return ((before >> 56) & 0xfe) == 0x5c ||              // pop %rbp
         (before >> 56) == 0xc9 ||                       // leave
         (before & 0xffffffff) == 0xa73b495d ||          // cmp x(%r15),%rsp
         ((before >> 24) & 0xffffffff) == 0x673b495d ||  // with a short offset
         (before & 0xffffffff) == 0x978b4d5d ||          // mov x(%r15),%r10
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
    if (state == JAVA_FRAME_COMPLETE && java_was_popped(code[0]) &&
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

// A frame of a blob that knows its size: compiled methods and most runtime stubs.
UNWIND_INLINE int java_step_sized(const struct java_process* process,
                                  struct unwind_registers* frame, void* memory, u64 cfa,
                                  u64 frame_complete, u64 entry) {
  if (frame->is_return_address)
    return java_return_saved(frame, memory, cfa);
  return java_step_interrupted(process, frame, memory, cfa, frame->pc < frame_complete,
                               frame->pc <= entry);
}

// ---- Stubs -------------------------------------------------------------------------------------

// Stubs without a known frame. Those that call anything have a frame pointer.
UNWIND_INLINE int java_step_stub(const struct java_process* process, struct unwind_registers* frame,
                                 void* memory) {
  const u64 sp = frame->regs[REG_SP];
  const u64 fp = frame->regs[REG_FP];
#if defined(__x86_64__) || defined(__TARGET_ARCH_x86)
  u64 code[2];
#endif
  u64 return_address;
  if (frame->is_return_address) {
    // The first frame of a virtual thread returns to a stub that no code calls.
    if (process->continuation_return != 0 && !unwind_follows_call(memory, frame->pc)) {
      frame->pc = process->continuation_return;
      return UNWIND_MORE;
    }
    return java_is_near(fp, sp) ? java_return_saved(frame, memory, fp + 16) : UNWIND_NO_RULE;
  }
#if !defined(__x86_64__) && !defined(__TARGET_ARCH_x86)
  if (java_is_return(process, memory, unwind_plain_address(frame->regs[ARM64_REG_LR])))
    return unwind_move_to(frame, sp, frame->regs[ARM64_REG_LR]);
#else
  if (java_is_return(process, memory, java_stack_word(memory, sp)))
    return java_return(frame, memory, sp + 8);
  if (UNWIND_READ_DATA(memory, code, sizeof(code), frame->pc - 8) == 0 &&
      java_state_of_code(code[0], code[1], 0, 0) == JAVA_FRAME_PUSHED) {
    return java_return_saved(frame, memory, sp + 16);
  }
#endif
  if (java_is_near(fp, sp)) {
    return_address = java_stack_word(memory, fp + 8);
    if (java_has_code(process, return_address) || unwind_follows_call(memory, return_address))
      return java_return_saved(frame, memory, fp + 16);
  }
  for (u64 i = 1; i < JAVA_STUB_SLOTS; ++i) {
    return_address = java_stack_word(memory, sp + 8 * i);
    if (java_is_return(process, memory, return_address))
      return java_return(frame, memory, sp + 8 * i + 8);
  }
  return UNWIND_NO_RULE;
}

// ---- The interpreter ---------------------------------------------------------------------------

// Code that enters or leaves a method in the interpreter, without a frame of its own. The return
// address is on top of the stack or in a register, and the caller's stack pointer in another.
UNWIND_INLINE int java_step_frameless(const struct java_process* process,
                                      struct unwind_registers* frame, void* memory, int is_entry) {
  const u64 sp = frame->regs[REG_SP];
#if defined(__x86_64__) || defined(__TARGET_ARCH_x86)
  const u64 sender_sp = is_entry ? frame->regs[JAVA_SENDER_SP_REGISTER] : frame->regs[3];
  u64 return_address = java_stack_word(memory, sp);
  u64 cfa = sp + 8;
  if (!java_is_return(process, memory, return_address)) {
    // The entry pops it into rax; the exit into rdi.
    return_address = is_entry ? frame->regs[X86_REG_RAX] : frame->regs[5];
    cfa = sp;
    if (!java_is_return(process, memory, return_address)) {
      if (!java_is_return(process, memory, java_stack_word(memory, sp + 8)))
        return UNWIND_NO_RULE;
      return java_return_saved(frame, memory, sp + 16);  // the frame pointer was pushed
    }
  }
#else
  const u64 sender_sp = frame->regs[JAVA_SENDER_SP_REGISTER];
  const u64 return_address = unwind_plain_address(frame->regs[ARM64_REG_LR]);
  const u64 cfa = sp;
  (void)memory;
  (void)is_entry;
  if (!java_is_return(process, memory, return_address))
    return UNWIND_NO_RULE;
#endif
  return unwind_move_to(frame, java_is_near(sender_sp, cfa) ? sender_sp : cfa, return_address);
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
  u64 bcp[2];
  u64 cfa;
  int has_frame = java_is_near(fp, sp);
  if (has_frame)
    has_frame = UNWIND_READ(memory, slots, JAVA_INTERPRETED_WORDS * 8, fp - 80) == 0;
  if (has_frame) {
    bcp[0] = frame->is_return_address ? 0 : frame->regs[JAVA_BCP_REGISTER];
    bcp[1] = slots[(10 - process->interpreted_bcp) & 7];
    // While a method is entered, the frame may still be its caller's.
    has_frame = (!is_entry || slots[7] == frame->regs[JAVA_METHOD_REGISTER]) &&
                java_name_method(process, memory, slots[7], bcp, words) &&
                java_has_code(process, slots[11]);
  }
  if (has_frame) {
    cfa = slots[9];
    if (!java_is_near(cfa, fp + 16))
      cfa = fp + 16;
    frame->regs[REG_FP] = slots[10];
    return unwind_move_to(frame, cfa, slots[11]);
  }
  java_set_words(words, JAVA_STUB, process->interpreter, position << JAVA_POSITION_SHIFT);
  if (frame->is_return_address)
    return UNWIND_NO_RULE;
  if (is_entry) {
    bcp[0] = 0;
    bcp[1] = 0;
    java_name_method(process, memory, frame->regs[JAVA_METHOD_REGISTER], bcp, words);
  }
  return java_step_frameless(process, frame, memory, is_entry);
}

// ---- One step ----------------------------------------------------------------------------------

// Returns the address of the first instruction of an nmethod without checks of its receiver.
UNWIND_INLINE u64 java_entry(const struct java_process* process, void* memory, u64 block,
                             u64 code) {
  u64 entry = 0;
  if (UNWIND_READ_DATA(memory, &entry, sizeof(entry), block + process->nmethod_entry) != 0)
    return 0;
  return process->flags & JAVA_ENTRY_IS_POINTER ? entry : code + (entry & 0xffff);
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
  u64 code;
  u64 frame_words;
  u64 frame_complete;
  u64 entry = 0;
  u32 compile_id = 0;
  words[0] = 0;
  words[1] = 0;
  if (java_is_interpreter(process, pc))
    return java_step_interpreted(process, frame, memory, scratch, words);
  block = java_find_block(process, memory, pc);
  if (block == 0)
    return UNWIND_NO_RULE;
  if (UNWIND_READ_DATA(memory, scratch, JAVA_BLOB_WORDS * 8, block) != 0)
    return UNWIND_NO_RULE;
  if ((java_scratch_int(scratch, process->block_used) & 0xff) == 0)
    return UNWIND_NO_RULE;
  blob = block + process->block_header_bytes;
  code = blob + java_scratch_int(scratch, process->blob_code);
  if (process->flags & JAVA_CODE_IS_POINTER)
    code = java_scratch_word(scratch, process->blob_code);
  frame_words = java_scratch_int(scratch, process->blob_frame_size);
  // Negative if the frame is never complete.
  frame_complete = java_scratch_int(scratch, process->blob_frame_complete) & 0xffff;
  frame_complete = frame_complete < 0x8000 ? code + frame_complete : 0;
  if ((java_scratch_int(scratch, process->blob_header_size) & 0xffff) == process->nmethod_bytes) {
    if (UNWIND_READ_DATA(memory, &compile_id, sizeof(compile_id),
                         block + process->nmethod_compile_id) != 0) {
      compile_id = 0;
    }
    if (!frame->is_return_address && pc < frame_complete)
      entry = java_entry(process, memory, block, code);
    java_set_words(
        words, JAVA_COMPILED, blob,
        is_return | (((pc - code) & JAVA_POSITION_MASK) << JAVA_POSITION_SHIFT) | compile_id);
  } else {
    java_set_words(words, JAVA_STUB, blob,
                   is_return | (((pc - blob) & JAVA_POSITION_MASK) << JAVA_POSITION_SHIFT) |
                       java_stub_identity(java_scratch_word(scratch, process->blob_name)));
  }
  if (frame_words == 0 || frame_words > JAVA_FRAME_WORDS_MAX)
    return java_step_stub(process, frame, memory);
  return java_step_sized(process, frame, memory, frame->regs[REG_SP] + 8 * frame_words,
                         frame_complete, entry);
}

#ifdef __cplusplus
}  // namespace flarestack::record::bpf
#endif
