// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// What java_step.h needs to know about one process that runs HotSpot (JDK 8 to 25), and the words
// that it makes of a frame.
#pragma once

#include "record/bpf/layout.h"

#ifdef __cplusplus
namespace flarestack::record::bpf {
#endif

enum java_limits {
  JAVA_HEAPS_MAX = 4,
  JAVA_SEGMENT_HOPS = 32,       // of up to 254 segments each, so blobs of up to 1 MiB are found
  JAVA_FRAME_WORDS_MAX = 8192,  // of a compiled frame
  JAVA_FRAME_BYTES_MAX = 1 << 20,
  JAVA_STUB_SLOTS = 16,       // searched for the return address of a stub without a frame
  JAVA_STUB_BYTES_MAX = 512,  // of a stub's frame with a frame pointer, unless it is known
  JAVA_INTRINSIC_SLOTS = 6,
  JAVA_PUSHED_WORDS = 4,
  JAVA_BLOB_WORDS = 20,
  JAVA_INTERPRETED_WORDS = 12,  // ten below the frame pointer, and the two at it
  JAVA_SCRATCH_WORDS = 32,
};

// A frame is two words. The first:
//
//   63..60 FRAME_JAVA   59..56 enum java_frame_kind   55..0 address of the Method or the CodeBlob
//
// The second:
//
//   63..60 FRAME_OPERAND   59 pc is a return address   58..32 position   31..0 identity
//
//   interpreted: bytecode index, or JAVA_NO_BCI; java_method_identity, or 0 if unreadable
//   compiled:    pc - code begin;                compile id
//   stub:        pc - CodeBlob;                  java_stub_identity
#define JAVA_KIND_SHIFT 56
#define JAVA_KIND_MASK 15ull
#define JAVA_ADDRESS_MASK ((1ull << 56) - 1)
#define JAVA_RETURN_ADDRESS (1ull << 59)
#define JAVA_POSITION_SHIFT 32
#define JAVA_POSITION_MASK ((1ull << 27) - 1)
#define JAVA_NO_BCI 0xffffull

enum java_frame_kind {
  JAVA_INTERPRETED = 1,
  JAVA_COMPILED = 2,  // also the wrapper of a native method
  JAVA_STUB = 3,      // everything else: adapters, runtime stubs, intrinsics, the call stub
};

enum java_process_flag {
  JAVA_CODE_IS_POINTER = 1,   // blob_code is an address, else an offset in the blob
  JAVA_ENTRY_IS_POINTER = 2,  // nmethod_entry is an address, else a u16 after the code's begin
};

struct java_heap {
  u64 begin;  // of the first segment
  u64 end;    // of the reserved memory; 0: unused
  u64 segment_map;
};

// Offsets in a blob include the header of the heap's block before it.
struct java_process {
  struct java_heap heaps[JAVA_HEAPS_MAX];
  u64 interpreter;  // address of the interpreter's code
  u32 interpreter_bytes;
  u32 entries_begin;  // offsets in the interpreter: the code that enters methods
  u32 entries_end;
  u32 intrinsics_begin;  // the part of these that computes functions, without a frame
  u32 intrinsics_end;
  u16 flags;         // enum java_process_flag
  u8 segment_shift;  // log2 of the segment size
  u8 block_header_bytes;
  u64 continuation_return;  // where frames of a virtual thread return to its carrier; 0: unknown
  u64 call_return;          // where methods return to the stub that native code calls; 0: unknown
  u8 block_used;            // offset of a byte that is 0 in a free block
  u8 blob_name;
  u8 blob_size;
  u8 blob_header_size;
  u8 blob_frame_complete;
  u8 blob_frame_size;
  u8 blob_code;
  u8 interpreted_bcp;  // words below the frame pointer
  u16 nmethod_bytes;   // blob_header_size of an nmethod
  u16 nmethod_compile_id;
  u16 nmethod_entry;  // the verified entry
  u16 method_const;
  u16 const_method_bytes;
  u16 const_method_code_size;
  u32 adapter_identity;  // java_stub_identity of adapters between interpreted and compiled code
};
LAYOUT_ASSERT(sizeof(struct java_process) <= 192);

#ifdef __cplusplus
}  // namespace flarestack::record::bpf
#endif
