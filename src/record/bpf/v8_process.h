// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// What v8_step.h needs to know about one process that runs V8 (Node.js), and the words that it
// makes of a frame.
#pragma once

#include "record/bpf/layout.h"

#ifdef __cplusplus
namespace flarestack::record::bpf {
#endif

enum v8_limits {
  V8_SLOT_BYTES = 64,    // of the slots below the frame pointer
  V8_FRAME_BYTES = 80,   // those slots, the saved frame pointer and the return address
  V8_SHARED_BYTES = 80,  // of a SharedFunctionInfo
  V8_SHARED_OFFSET_MASK = 127,
  V8_SCRATCH_BYTES = V8_FRAME_BYTES + V8_SHARED_BYTES,
  V8_EDGE_BYTES = 40,  // of code that is searched for the start of a function
  V8_FRAME_DISTANCE_MAX = 1 << 20,
};

// What v8_step needs to know about a process. Offsets of slots are relative to fp - V8_SLOT_BYTES,
// offsets in objects are relative to their untagged address.
struct v8_process {
  u16 slot_marker;
  u16 slot_function;
  u16 slot_bytecode_array;
  u16 slot_bytecode_offset;
  u16 map_instance_type;
  u16 function_shared;      // JSFunction -> SharedFunctionInfo
  u16 function_type_first;  // instance types of JSFunction and its subclasses
  u16 function_type_last;
  u16 bytecode_array_type;
  u16 bytecode_header_bytes;  // from the untagged address to the first bytecode
  u16 shared_data;            // SharedFunctionInfo: a Smi for builtins, else a pointer to bytecode
  u16 shared_script;
  u16 shared_length;
  u16 shared_literal_id;
  u16 entry_frame_bytes;  // from fp of an entry frame to the stack pointer of its native caller
  u8 entry_marker;        // frame types of calls from native code
  u8 construct_entry_marker;
  u8 function_register;  // DWARF numbers: at the entry of a JavaScript function
  u8 bytecode_array_register;
  u8 bytecode_offset_register;  // in bytecode handlers
  u8 reserved[29];
};
LAYOUT_ASSERT(sizeof(struct v8_process) == 64);

// First word:   63..60 FRAME_V8   59..56 v8_frame_kind   55 return address   54..48 and 47..0 below
// Second word:  63..60 FRAME_OPERAND   59..0 below
enum v8_frame_kind {
  // 47..0 pc; second word: 7..0 frame type marker, or V8_NO_MARKER.
  V8_FRAME_STUB = 0,
  // 47..0 SharedFunctionInfo; second word: 59..32 offset of the bytecode, 31..0 cookie.
  V8_FRAME_BYTECODE = 1,
  // Compiled code or a builtin. 47..0 pc, 54..48 bits 21..15 of the cookie; second word: 59..45
  // bits
  // 14..0 of the cookie, 44..0 SharedFunctionInfo / 8.
  V8_FRAME_CODE = 2,
};

#define V8_FRAME_KIND_SHIFT 56
#define V8_FRAME_RETURN_ADDRESS (1ull << 55)
#define V8_ADDRESS_MASK ((1ull << 48) - 1)
#define V8_BYTECODE_OFFSET_SHIFT 32
#define V8_BYTECODE_OFFSET_MASK ((1ull << 28) - 1)
#define V8_SHARED_MASK ((1ull << 45) - 1)
#define V8_COOKIE_LOW_SHIFT 45
#define V8_COOKIE_HIGH_SHIFT 48
#define V8_CODE_COOKIE_MASK ((1u << 22) - 1)
#define V8_NO_MARKER 0xffu  // at the edge of a function

#ifdef __cplusplus
}  // namespace flarestack::record::bpf
#endif
