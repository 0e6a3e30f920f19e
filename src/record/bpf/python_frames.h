// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// Walks the Python frames of a thread, innermost first. CPython 3.8 to 3.15. Shared by the BPF
// programs and user space. Including files must define how memory is read:
//
//   #define UNWIND_READ_DATA(memory, target, size, address)   ...   // 0 when all of it was read
//
//   thread pointer --state_offsets--> thread state --state_frame--> frame --frame_previous--> ...
//                                                                   frame --frame_code--> code
//
//   struct python_cursor cursor;
//   struct python_frame frame;
//   if (python_begin(&process, thread_pointer, memory, &cursor) != 0) ...
//   while (cursor.frame != 0 && python_next(&process, memory, &cursor, &frame, scratch) == 0) ...
//
// The loop is the caller's, with its own bound: a process may have a cyclic list of frames.
#pragma once

#include "record/bpf/python_process.h"

#ifdef __cplusplus
namespace flarestack::record::bpf {
#endif

UNWIND_INLINE u64 python_word(const struct python_scratch* scratch, u8 offset) {
  return scratch->frame[(offset >> 3) & (PYTHON_FRAME_WORDS - 1)];
}

UNWIND_INLINE u32 python_half(const struct python_scratch* scratch, u8 offset) {
  return LAYOUT_CAST(u32, python_word(scratch, offset) >> ((offset & 4) * 8));
}

UNWIND_INLINE u8 python_byte(const struct python_scratch* scratch, u8 offset) {
  return LAYOUT_CAST(u8, python_word(scratch, offset) >> ((offset & 7) * 8));
}

// Reads a pointer. Returns 0 if it could be read.
UNWIND_INLINE int python_follow(void* memory, u64 address, u64* pointer) {
  *pointer = 0;
  return UNWIND_READ_DATA(memory, pointer, sizeof(*pointer), address);
}

// Replaces an address with the pointer that is stored there, plus an offset. An address of 0 stays
// 0, and so does a missing block of thread-local variables, which glibc marks with all ones.
UNWIND_INLINE int python_descend(void* memory, u64* address, s32 offset) {
  u64 pointer;
  if (*address == 0)
    return 0;
  if (python_follow(memory, *address, &pointer) != 0)
    return -1;
  *address = pointer == 0 || pointer == ~0ull ? 0 : pointer + LAYOUT_CAST(u64, offset);
  return 0;
}

// Finds the innermost Python frame of a thread. cursor->frame is 0 if the thread runs no Python
// code. Returns -1 if memory could not be read.
UNWIND_INLINE int python_begin(const struct python_process* process, u64 thread_pointer,
                               void* memory, struct python_cursor* cursor) {
  u64 address = thread_pointer + LAYOUT_CAST(u64, process->state_offsets[0]);
  u64 state;
  cursor->frame = 0;
  if (process->minor == 0 || thread_pointer == 0)
    return -1;
  if (process->state_levels >= 1 &&
      python_descend(memory, &address, process->state_offsets[1]) != 0) {
    return -1;
  }
  if (process->state_levels >= 2 &&
      python_descend(memory, &address, process->state_offsets[2]) != 0) {
    return -1;
  }
  if (address == 0)
    return 0;
  if (python_follow(memory, address, &state) != 0)
    return -1;
  if (state == 0)
    return 0;
  if (python_follow(memory, state + process->state_frame, &address) != 0)
    return -1;
  if (process->has_c_frame && address != 0 &&
      python_follow(memory, address + process->c_frame_frame, &address) != 0) {
    return -1;
  }
  cursor->frame = address;
  return 0;
}

// Returns the offset of the last instruction of a frame whose code object is known.
UNWIND_INLINE u32 python_instruction(const struct python_process* process, void* memory,
                                     const struct python_scratch* scratch, u64 code) {
  u64 start = code + process->code_start;
  u64 offset;
  if (process->instruction_kind == PYTHON_INSTRUCTION_INDEX) {
    const u32 index = python_half(scratch, process->frame_instruction);
    if (index == ~0u)
      return PYTHON_INSTRUCTION_NONE;
    offset = LAYOUT_CAST(u64, index) << (process->instruction_shift & 3);
  } else {
    const u32 copy = process->frame_copy != 0 ? python_half(scratch, process->frame_copy) : 0;
    if (copy != 0) {
      // The list of copies is a size and pointers. The first is the code object's own code.
      u64 copies;
      if (python_follow(memory, code + process->code_copies, &copies) != 0 ||
          python_follow(memory, copies + 8 + 8 * LAYOUT_CAST(u64, copy), &start) != 0) {
        return PYTHON_INSTRUCTION_UNKNOWN;
      }
    }
    offset = python_word(scratch, process->frame_instruction) - start;
    if (offset == ~1ull)  // one instruction before the start
      return PYTHON_INSTRUCTION_NONE;
  }
  return offset <= PYTHON_INSTRUCTION_MAX ? LAYOUT_CAST(u32, offset) : PYTHON_INSTRUCTION_UNKNOWN;
}

// Reads the frame at the cursor and moves the cursor to its caller. Returns -1 if the frame could
// not be read; the cursor is then 0.
UNWIND_INLINE int python_next(const struct python_process* process, void* memory,
                              struct python_cursor* cursor, struct python_frame* frame,
                              struct python_scratch* scratch) {
  const u64 address = cursor->frame;
  const u64 bytes = process->frame_bytes;
  u8 mark;
  cursor->frame = 0;
  if (bytes == 0 || bytes > PYTHON_FRAME_BYTES)
    return -1;
  if (UNWIND_READ_DATA(memory, scratch->frame, bytes, address) != 0)
    return -1;
  cursor->frame = python_word(scratch, process->frame_previous);
  // The low bits of the pointer are flags since 3.14.
  frame->code = python_word(scratch, process->frame_code) & ~7ull;
  frame->instruction = PYTHON_INSTRUCTION_UNKNOWN;
  frame->cookie = 0;
  frame->is_entry = 1;
  frame->is_skipped = 0;
  mark = python_byte(scratch, process->frame_entry);
  if (process->entry_kind == PYTHON_ENTRY_BYTE) {
    frame->is_entry = mark != 0;
  } else if (process->entry_kind == PYTHON_ENTRY_SHIM) {
    frame->is_skipped = mark >= PYTHON_SHIM_OWNER;
    frame->is_entry = frame->is_skipped;
  }
  if (frame->is_skipped) {
    frame->code = 0;
    return 0;
  }
  frame->instruction = python_instruction(process, memory, scratch, frame->code);
  if (UNWIND_READ_DATA(memory, scratch->identity, sizeof(scratch->identity),
                       frame->code + process->code_identity) == 0) {
    frame->cookie = python_cookie(scratch->identity);
  }
  return 0;
}

#ifdef __cplusplus
}  // namespace flarestack::record::bpf
#endif
