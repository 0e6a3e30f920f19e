// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// What BPF has to know about a process that runs CPython, and what it finds out about a frame.
// python_frames.h has the steps.
#pragma once

#include "record/bpf/layout.h"

#ifdef __cplusplus
namespace flarestack::record::bpf {
#ifndef UNWIND_INLINE
#define UNWIND_INLINE inline
#endif
#else
#ifndef UNWIND_INLINE
#define UNWIND_INLINE static __attribute__((always_inline)) inline
#endif
#endif

enum python_limits {
  PYTHON_FRAME_WORDS = 16,  // of a frame that are read; all fields we use are in them
  PYTHON_FRAME_BYTES = PYTHON_FRAME_WORDS * 8,
  PYTHON_IDENTITY_WORDS = 7,  // of a code object that the cookie covers
  PYTHON_LEVELS_MAX = 2,
  PYTHON_SHIM_OWNER = 3,  // this and greater values of `owner` belong to the interpreter loop
};

// Values of python_frame.instruction. All fit into 28 bits.
#define PYTHON_INSTRUCTION_MAX 0x0fffff00u   // greater offsets are not believed
#define PYTHON_INSTRUCTION_NONE 0x0ffffffeu  // the frame has not executed an instruction yet
#define PYTHON_INSTRUCTION_UNKNOWN 0x0fffffffu

// How a version of CPython marks a frame that was called from C. Such a frame is the last one that
// one native frame of the interpreter loop executes.
enum python_entry_kind {
  PYTHON_ENTRY_EACH = 0,  // 3.8 to 3.10: each frame has its own native frame
  PYTHON_ENTRY_BYTE = 1,  // 3.11: by a byte of the frame
  PYTHON_ENTRY_SHIM = 2,  // 3.12 and later: a frame without code, with its own owner, follows it
};

// How a frame refers to its last instruction.
enum python_instruction_kind {
  PYTHON_INSTRUCTION_INDEX = 0,    // 3.8 to 3.10: a number
  PYTHON_INSTRUCTION_POINTER = 1,  // 3.11 and later: a pointer into the code object
};

// What is needed to walk the threads of one process. Offsets are in bytes; those of frames are
// below PYTHON_FRAME_BYTES.
struct python_process {
  u8 minor;              // 3.minor; 0: no Python process
  u8 entry_kind;         // enum python_entry_kind
  u8 instruction_kind;   // enum python_instruction_kind
  u8 instruction_shift;  // the number counts units of 1 << shift bytes (3.10: 1)
  u8 frame_bytes;        // to read, at most PYTHON_FRAME_BYTES
  u8 frame_previous;
  u8 frame_code;
  u8 frame_instruction;
  u8 frame_entry;  // of the byte is_entry (3.11) or owner (3.12 and later)
  u8 frame_copy;  // 3.14 and later without GIL: index of the thread's own copy of the code; 0: none
  u8 has_c_frame;  // 3.11 and 3.12: the thread state points to a struct, which points to the frame
  u8 c_frame_frame;   // offset in that struct
  u16 state_frame;    // in the thread state: of the frame, or of the pointer to that struct
  u16 code_start;     // in the code object: of its first instruction
  u16 code_identity;  // in the code object: of PYTHON_IDENTITY_WORDS words that never change
  u16 code_copies;    // in the code object: of the list of copies; used if frame_copy is not 0
  u8 state_levels;    // pointers to follow before state_offsets[state_levels]
  u8 reserved[3];
  // The pointer to the thread state is at thread pointer + state_offsets[0], or at the address
  // stored there + state_offsets[1], and so on. That reaches static thread-local variables and the
  // pthread-specific data of glibc (0 levels), its keys from 32 on and all keys of musl (1 level),
  // and variables of libraries through the thread's vector of blocks (2 levels).
  s32 state_offsets[PYTHON_LEVELS_MAX + 1];
};
LAYOUT_ASSERT(sizeof(struct python_process) == 36);

struct python_cursor {
  u64 frame;  // the next frame; 0 after the outermost
};

struct python_frame {
  u64 code;         // address of the code object
  u32 instruction;  // byte offset of the last instruction from the start of the code, or see above
  u32 cookie;       // see python_cookie; 0 if the code object could not be read
  u8 is_entry;      // called from C: one native frame of the interpreter loop ends here
  u8 is_skipped;    // not a Python function: only is_entry counts
  u8 reserved[6];
};

struct python_scratch {
  u64 frame[PYTHON_FRAME_WORDS];
  u64 identity[PYTHON_IDENTITY_WORDS];
};

// A hash of parts of a code object that stay the same as long as it exists: its argument counts,
// stack size, first line and pointers to its names. User space uses it to detect that the memory
// has another object by the time the frame gets its name. In BPF, reads do not wait for pages that
// are not resident: then the cookie is 0, and user space has to accept the object that it finds.
UNWIND_INLINE u32 python_cookie(const u64* identity) {
  u64 hash = 0x9e3779b97f4a7c15ull;
  for (int i = 0; i < PYTHON_IDENTITY_WORDS; ++i) {
    hash = (hash ^ identity[i]) * 0xff51afd7ed558ccdull;
    hash ^= hash >> 32;
  }
  return LAYOUT_CAST(u32, hash) != 0 ? LAYOUT_CAST(u32, hash) : 1;
}

#ifdef __cplusplus
}  // namespace flarestack::record::bpf
#endif
