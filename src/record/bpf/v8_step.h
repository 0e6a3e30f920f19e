// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// One step from a frame of V8 (the JavaScript engine of Node.js) to its caller. Shared by the BPF
// programs and user space. Needs unwind_step.h, and how data other than the stack is read:
//
//   #define UNWIND_READ_DATA(memory, target, size, address)   ...   // 0 when all of it was read
//
// All code that V8 generates, and its builtins, keep a frame pointer:
//
//     fp + 8   return address
//     fp       frame pointer of the caller
//     fp - 8   context, or a frame type marker: its lowest bit is 0
//     fp - 16  JSFunction, if there is a context
//     fp - 24  count of arguments
//     fp - 32  BytecodeArray        of interpreted and baseline frames
//     fp - 40  offset in it (Smi)   of interpreted frames; baseline frames have a pointer here
//
// Builtins and bytecode handlers without a frame of their own, and the first and last instructions
// of a function, run with the frame pointer of their caller.
//
// A frame is two words, see v8_process.h.
#pragma once

#include "record/bpf/unwind_step.h"
#include "record/bpf/v8_process.h"

#ifdef __cplusplus
namespace flarestack::record::bpf {
#endif

// A tagged word: a pointer to an object has 01 in its lowest bits, a small integer (Smi) has 0 in
// its lowest bit and its value in the upper half.
UNWIND_INLINE int v8_is_pointer(u64 word) { return (word & 3) == 1; }
UNWIND_INLINE int v8_is_smi(u64 word) { return (word & 0xffffffff) == 0; }

// Reads a number at any alignment. BPF may load it directly; memcpy would become one load per byte.
#ifdef __cplusplus
inline u64 v8_word(const u8* bytes) {
  u64 value;
  __builtin_memcpy(&value, bytes, sizeof(value));
  return value;
}
inline u32 v8_half(const u8* bytes) {
  u32 value;
  __builtin_memcpy(&value, bytes, sizeof(value));
  return value;
}
#else
UNWIND_INLINE u64 v8_word(const u8* bytes) { return *(const u64*)bytes; }
UNWIND_INLINE u32 v8_half(const u8* bytes) { return *(const u32*)bytes; }
#endif

// Masks an offset that was compared with its maximum. Verifiers before 6.2 forget the comparison
// when the compiler compares a copy; a mask behind a barrier stays on the value that is used.
UNWIND_INLINE u64 v8_bounded(u64 offset, u64 mask) {
  __asm__ volatile("" : "+r"(offset));
  return offset & mask;
}

// Identifies a SharedFunctionInfo by fields that never change. `shared` has V8_SHARED_BYTES.
// Returns 0 if an offset is out of bounds.
UNWIND_INLINE u32 v8_cookie(const struct v8_process* process, const u8* shared) {
  const u32 script = process->shared_script;
  const u32 length = process->shared_length;
  const u32 literal_id = process->shared_literal_id;
  u64 hash;
  if (script > V8_SHARED_BYTES - 8 || length > V8_SHARED_BYTES - 4 ||
      literal_id > V8_SHARED_BYTES - 4)
    return 0;
  hash = v8_word(shared + v8_bounded(script, V8_SHARED_OFFSET_MASK)) * 0x9e3779b97f4a7c15ull;
  hash ^= v8_half(shared + v8_bounded(length, V8_SHARED_OFFSET_MASK)) |
          (LAYOUT_CAST(u64, v8_half(shared + v8_bounded(literal_id, V8_SHARED_OFFSET_MASK))) << 32);
  hash *= 0xff51afd7ed558ccdull;
  return LAYOUT_CAST(u32, hash >> 32) | 1;
}

// Reads the instance type of an object. Returns 0, which is no type that is asked for, if it cannot
// be read.
UNWIND_INLINE u32 v8_type(const struct v8_process* process, void* memory, u64 object) {
  u64 map;
  u16 type;
  if (!v8_is_pointer(object) || UNWIND_READ_DATA(memory, &map, sizeof(map), object - 1) != 0 ||
      !v8_is_pointer(map) ||
      UNWIND_READ_DATA(memory, &type, sizeof(type), map - 1 + process->map_instance_type) != 0)
    return 0;
  return type;
}

UNWIND_INLINE void v8_stub_words(const struct unwind_registers* frame, u32 marker, u64* words) {
  words[0] = (LAYOUT_CAST(u64, FRAME_V8) << FRAME_KIND_SHIFT) |
             (LAYOUT_CAST(u64, V8_FRAME_STUB) << V8_FRAME_KIND_SHIFT) |
             (frame->is_return_address ? V8_FRAME_RETURN_ADDRESS : 0) |
             (frame->pc & V8_ADDRESS_MASK);
  words[1] = (LAYOUT_CAST(u64, FRAME_OPERAND) << FRAME_KIND_SHIFT) | (marker & 0xff);
}

UNWIND_INLINE void v8_code_words(const struct unwind_registers* frame, u64 shared, u32 cookie,
                                 u64* words) {
  words[0] = (LAYOUT_CAST(u64, FRAME_V8) << FRAME_KIND_SHIFT) |
             (LAYOUT_CAST(u64, V8_FRAME_CODE) << V8_FRAME_KIND_SHIFT) |
             (frame->is_return_address ? V8_FRAME_RETURN_ADDRESS : 0) |
             (LAYOUT_CAST(u64, (cookie >> 15) & 0x7f) << V8_COOKIE_HIGH_SHIFT) |
             (frame->pc & V8_ADDRESS_MASK);
  words[1] = (LAYOUT_CAST(u64, FRAME_OPERAND) << FRAME_KIND_SHIFT) |
             (LAYOUT_CAST(u64, cookie & 0x7fff) << V8_COOKIE_LOW_SHIFT) |
             ((shared >> 3) & V8_SHARED_MASK);
}

// Finds the SharedFunctionInfo of a JSFunction and copies it to `target`. Returns its untagged
// address, or 0.
UNWIND_INLINE u64 v8_read_shared(const struct v8_process* process, void* memory, u64 function,
                                 u8* target) {
  const u32 type = v8_type(process, memory, function);
  u64 shared;
  if (type < process->function_type_first || type > process->function_type_last ||
      UNWIND_READ_DATA(memory, &shared, sizeof(shared), function - 1 + process->function_shared) !=
          0 ||
      !v8_is_pointer(shared) || UNWIND_READ_DATA(memory, target, V8_SHARED_BYTES, shared - 1) != 0)
    return 0;
  return shared - 1;
}

// Returns whether a word of the stack is a return address.
UNWIND_INLINE int v8_is_return_address(void* memory, u64 word) {
  u64 code;
  return unwind_is_code_address(word) &&
         UNWIND_READ_CODE(memory, &code, sizeof(code), word - sizeof(code)) == 0 &&
         unwind_follows_call(memory, word);
}

// At the edges of a function the frame pointer is that of the caller. Fills `words` and moves to
// the caller. Returns UNWIND_NO_RULE if the function has set up its frame.
#if defined(__x86_64__) || defined(__TARGET_ARCH_x86)
UNWIND_INLINE int v8_at_edge(const struct v8_process* process, struct unwind_registers* frame,
                             void* memory, u8* scratch, int is_builtin, u64* words) {
  const u64 sp = frame->regs[REG_SP];
  u64 stack[2];
  u64 return_address;
  u64 shared;
  u32 is_entry = 0;
  u32 is_pushed;
  u32 is_return;
  if (UNWIND_READ_CODE(memory, scratch, V8_EDGE_BYTES, frame->pc - 4) != 0)
    return UNWIND_NO_RULE;
  // push %rbp; mov %rsp,%rbp, with the push done.
  is_pushed = v8_half(scratch + 3) == 0xe5894855;
  is_return = scratch[4] == 0xc3 || scratch[4] == 0xc2;
  // The same, not reached yet. In generated code, checks precede it.
  for (int i = 4; i <= V8_EDGE_BYTES - 4; ++i)
    is_entry |= (i == 4 || !is_builtin) && v8_half(scratch + i) == 0xe5894855;
  if (!is_pushed && !is_return && !is_entry)
    return UNWIND_NO_RULE;
  if (UNWIND_READ(memory, stack, sizeof(stack), sp) != 0)
    return UNWIND_RETURN_ADDRESS_UNREADABLE;
  return_address = is_pushed ? stack[1] : stack[0];
  if (!v8_is_return_address(memory, return_address))
    return UNWIND_NO_RULE;
  v8_stub_words(frame, V8_NO_MARKER, words);
  if (!is_return) {
    shared = v8_read_shared(process, memory,
                            frame->regs[process->function_register & (REGISTER_COUNT - 1)],
                            scratch + V8_FRAME_BYTES);
    if (shared != 0)
      v8_code_words(frame, shared, v8_cookie(process, scratch + V8_FRAME_BYTES), words);
  }
  return unwind_move_to(frame, is_pushed ? sp + 16 : sp + 8, return_address);
}

// A builtin without a frame, which was called by the function of the frame pointer.
UNWIND_INLINE int v8_from_frameless(struct unwind_registers* frame, void* memory, u64* words) {
  const u64 sp = frame->regs[REG_SP];
  u64 stack[2];
  u32 index;
  if (UNWIND_READ(memory, stack, sizeof(stack), sp) != 0)
    return UNWIND_NO_RULE;
  index = !v8_is_return_address(memory, stack[0]);
  if (index != 0 && !v8_is_return_address(memory, stack[1]))
    return UNWIND_NO_RULE;
  v8_stub_words(frame, V8_NO_MARKER, words);
  return unwind_move_to(frame, sp + 8 + 8 * index, index ? stack[1] : stack[0]);
}
#else
UNWIND_INLINE int v8_at_edge(const struct v8_process* process, struct unwind_registers* frame,
                             void* memory, u8* scratch, int is_builtin, u64* words) {
  const u64 return_address = unwind_plain_address(frame->regs[ARM64_REG_LR]);
  u64 shared;
  u32 is_entry = 0;
  u32 is_return;
  if (UNWIND_READ_CODE(memory, scratch, V8_EDGE_BYTES, frame->pc) != 0)
    return UNWIND_NO_RULE;
  is_return = v8_half(scratch) == 0xd65f03c0;
  for (int i = 0; i <= V8_EDGE_BYTES - 4; i += 4)
    is_entry |= (i == 0 || !is_builtin) &&
                (v8_half(scratch + i) & 0xffc07fff) == 0xa9807bfd;  // stp x29,x30,[sp,#-n]!
  if ((!is_return && !is_entry) || !v8_is_return_address(memory, return_address))
    return UNWIND_NO_RULE;
  v8_stub_words(frame, V8_NO_MARKER, words);
  if (!is_return) {
    shared = v8_read_shared(process, memory,
                            frame->regs[process->function_register & (REGISTER_COUNT - 1)],
                            scratch + V8_FRAME_BYTES);
    if (shared != 0)
      v8_code_words(frame, shared, v8_cookie(process, scratch + V8_FRAME_BYTES), words);
  }
  return unwind_move_to(frame, frame->regs[REG_SP], return_address);
}

UNWIND_INLINE int v8_from_frameless(struct unwind_registers* frame, void* memory, u64* words) {
  const u64 return_address = unwind_plain_address(frame->regs[ARM64_REG_LR]);
  if (!v8_is_return_address(memory, return_address))
    return UNWIND_NO_RULE;
  v8_stub_words(frame, V8_NO_MARKER, words);
  return unwind_move_to(frame, frame->regs[REG_SP], return_address);
}
#endif

// The offset of the running bytecode. A handler keeps it in a register and saves it before calls.
UNWIND_INLINE u64 v8_bytecode_offset(const struct v8_process* process,
                                     const struct unwind_registers* frame, u64 array, u64 saved) {
  const u64 live = frame->regs[process->bytecode_offset_register & (REGISTER_COUNT - 1)];
  u64 offset = saved >> 32;
  if (!frame->is_return_address && frame->has_all &&
      frame->regs[process->bytecode_array_register & (REGISTER_COUNT - 1)] == array &&
      live >= process->bytecode_header_bytes - 1u && live < V8_BYTECODE_OFFSET_MASK)
    offset = live;
  // Both count from the tagged address.
  offset -= process->bytecode_header_bytes - 1u;
  return offset & V8_BYTECODE_OFFSET_MASK;
}

// Fills `words` for the frame of a JavaScript function. `scratch` has its slots. Returns
// UNWIND_NO_RULE if a builtin without a frame runs on top of it.
UNWIND_INLINE int v8_function_words(const struct v8_process* process,
                                    const struct unwind_registers* frame, void* memory, u8* scratch,
                                    int is_builtin, u64* words) {
  const u32 slot_array = process->slot_bytecode_array;
  const u32 slot_offset = process->slot_bytecode_offset;
  const u32 slot_function = process->slot_function;
  const u32 data = process->shared_data;
  const u64 slots = frame->regs[REG_FP] - V8_SLOT_BYTES;
  const int is_leaf = !frame->is_return_address;
  u64 function;
  u64 shared;
  u64 array;
  u64 offset;
  u32 cookie;
  if (slot_array > V8_SLOT_BYTES - 8 || slot_offset > V8_SLOT_BYTES - 8 ||
      slot_function > V8_SLOT_BYTES - 8 || data > V8_SHARED_BYTES - 8)
    return UNWIND_BAD_RULE;
  array = v8_word(scratch + v8_bounded(slot_array, V8_SLOT_BYTES - 1));
  offset = v8_word(scratch + v8_bounded(slot_offset, V8_SLOT_BYTES - 1));
  function = v8_word(scratch + v8_bounded(slot_function, V8_SLOT_BYTES - 1));
  // The function has set up its frame pointer, but not saved its function yet.
  if (is_leaf && frame->regs[REG_SP] > slots + slot_function)
    function = frame->regs[process->function_register & (REGISTER_COUNT - 1)];
  shared = v8_read_shared(process, memory, function, scratch + V8_FRAME_BYTES);
  if (shared == 0) {
    v8_stub_words(frame, V8_NO_MARKER, words);
    return UNWIND_MORE;
  }
  cookie = v8_cookie(process, scratch + V8_FRAME_BYTES);
  v8_code_words(frame, shared, cookie, words);
  if (!is_builtin ||
      !v8_is_pointer(v8_word(scratch + V8_FRAME_BYTES + v8_bounded(data, V8_SHARED_OFFSET_MASK))))
    return UNWIND_MORE;
  // A function of the program, and the pc in a builtin: the interpreter, or a builtin without a
  // frame that the function called.
  if (v8_is_smi(offset) &&
      (!is_leaf || v8_type(process, memory, array) == process->bytecode_array_type)) {
    words[0] = (LAYOUT_CAST(u64, FRAME_V8) << FRAME_KIND_SHIFT) |
               (LAYOUT_CAST(u64, V8_FRAME_BYTECODE) << V8_FRAME_KIND_SHIFT) |
               (shared & V8_ADDRESS_MASK);
    words[1] = (LAYOUT_CAST(u64, FRAME_OPERAND) << FRAME_KIND_SHIFT) | cookie |
               (v8_bytecode_offset(process, frame, array, offset) << V8_BYTECODE_OFFSET_SHIFT);
    return UNWIND_MORE;
  }
  return is_leaf ? UNWIND_NO_RULE : UNWIND_MORE;
}

// `frame` has its pc in code that V8 generated, or in the builtins of its binary, which are not
// described by unwind tables: then `is_builtin` is set. `scratch` has V8_SCRATCH_BYTES and is
// aligned to 8 bytes. Fills `words` with the frame. Returns UNWIND_MORE if there is a caller;
// `frame` is then the caller's.
UNWIND_INLINE int v8_step(const struct v8_process* process, struct unwind_registers* frame,
                          void* memory, u8* scratch, int is_builtin, u64* words) {
  const u64 fp = frame->regs[REG_FP];
  const u64 sp = frame->regs[REG_SP];
  const u32 slot_marker = process->slot_marker;
  u64 marker;
  int end;
  v8_stub_words(frame, V8_NO_MARKER, words);
  if (!frame->is_return_address) {
    end = v8_at_edge(process, frame, memory, scratch, is_builtin, words);
    if (end != UNWIND_NO_RULE)
      return end;
  }
  if ((fp & 7) != 0 || fp < sp || fp - sp > V8_FRAME_DISTANCE_MAX)
    return UNWIND_NO_RULE;
  if (UNWIND_READ(memory, scratch, V8_FRAME_BYTES, fp - V8_SLOT_BYTES) != 0)
    return UNWIND_FRAME_POINTER_UNREADABLE;
  if (slot_marker > V8_SLOT_BYTES - 8)
    return UNWIND_BAD_RULE;
  marker = v8_word(scratch + v8_bounded(slot_marker, V8_SLOT_BYTES - 1));
  // Not saved yet: only the function register says what runs.
  if (!frame->is_return_address && sp > fp - V8_SLOT_BYTES + slot_marker)
    marker = 1;
  if ((marker & 1) == 0) {
    marker >>= 1;
    v8_stub_words(frame, LAYOUT_CAST(u32, marker), words);
  } else {
    end = v8_function_words(process, frame, memory, scratch, is_builtin, words);
    if (end == UNWIND_NO_RULE)
      end = v8_from_frameless(frame, memory, words);
    else if (end == UNWIND_MORE)
      end = UNWIND_NO_RULE;
    if (end != UNWIND_NO_RULE)
      return end;
    marker = V8_NO_MARKER;
  }
  frame->regs[REG_FP] = v8_word(scratch + V8_SLOT_BYTES);
  end = unwind_move_to(frame, fp + 16, v8_word(scratch + V8_SLOT_BYTES + 8));
  if (marker == process->entry_marker || marker == process->construct_entry_marker)
    frame->regs[REG_SP] = fp + process->entry_frame_bytes;
  return end;
}

#ifdef __cplusplus
}  // namespace flarestack::record::bpf
#endif
