// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// What the kernel's side of the recorder and the user's side tell each other: tables that the user
// fills and the kernel reads, and messages that the kernel sends. Compiled into both.
//
//   process --mapping_base--> mappings --file--> file --page--> rows --rule--> unwind_rule
//
// A process has its executable mappings, sorted. A mapping leads to a file and to the address in
// it. A file has pages of 64 KiB of code; a page has rows, sorted by the low 16 bits of the address
// where they begin to hold; a row names one of the distinct rules. Pages are filled when a sample
// has met them, so that memory follows what runs and not what is installed.
#pragma once

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>

namespace flarestack::record::bpf {
using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using s32 = int32_t;
using s64 = int64_t;
#define LAYOUT_ASSERT(condition) static_assert(condition)
#define LAYOUT_CAST(type, value) static_cast<type>(value)
#else
#define LAYOUT_ASSERT(condition) _Static_assert(condition, #condition)
#define LAYOUT_CAST(type, value) ((type)(value))
#endif

enum layout_limits {
  STACK_PIECE_BYTES = 1024,  // a stack is copied in aligned pieces, those that can be read
  STACK_PIECES_MAX = 64,     // that are looked at, from the stack pointer on
  CODE_PAGE_SHIFT = 16,
  ROWS_PER_CHUNK = 16384,     // 64 KiB; the rows of one page never cross a chunk
  MAPPINGS_PER_CHUNK = 2048,  // 64 KiB; the mappings of one process never cross a chunk
  RULES_MAX = 32768,
  FILES_MAX = 16384,
  KERNEL_FRAMES_MAX = 127,  // what bpf_get_stack gives
  USER_FRAMES_MAX = 512,
  // Of a deeper stack a trace keeps the innermost frames and the last USER_FRAMES_OUTER ones.
  USER_FRAMES_OUTER = 128,  // a power of two
  USER_FRAMES_INNER = USER_FRAMES_MAX - USER_FRAMES_OUTER,
  USER_FRAMES_WALKED_MAX = 4096,  // where a walk gives up
  STACK_COPY_MAX = 16384,         // bytes that are sent of a stack that could not be unwound yet
  COMM_BYTES = 16,
  UNWIND_END_MASK = 31,      // all of enum unwind_end
  THREAD_CONTEXT_MAX = 640,  // bytes of a thread's record with its attributes
  REPEATS_MAX = 512,         // that wait to be read, of one processor
};

// ---- Registers, by their DWARF numbers -------------------------------------------------------

enum register_number {
  X86_REG_RAX = 0,
  X86_REG_RBP = 6,
  X86_REG_RSP = 7,
  X86_REG_RA = 16,
  ARM64_REG_FP = 29,
  ARM64_REG_LR = 30,
  ARM64_REG_SP = 31,
  REGISTER_COUNT = 32,
#if defined(__x86_64__) || defined(__TARGET_ARCH_x86)
  REG_FP = X86_REG_RBP,
  REG_SP = X86_REG_RSP,
#else
  REG_FP = ARM64_REG_FP,
  REG_SP = ARM64_REG_SP,
#endif
};

// The registers of one frame while its caller is looked for. Besides pc, stack and frame pointer
// they are those of the interrupted frame, and good for that one alone.
struct unwind_registers {
  u64 pc;
  u64 regs[REGISTER_COUNT];
  u8 is_return_address;  // pc is behind a call, so the call is looked up at pc - 1
  u8 has_all;            // all of regs are those of this frame
  u8 is_chained;         // found by the frame pointer of the one before
  u8 reserved[5];
};
LAYOUT_ASSERT(sizeof(struct unwind_registers) == 272);

// ---- Unwind tables -----------------------------------------------------------------------------

enum rule_kind {
  RULE_NONE = 0,           // nothing is known about these addresses
  RULE_STOP = 1,           // the outermost frame
  RULE_CFA = 2,            // by offsets, see below
  RULE_PLT = 3,            // x86-64: CFA = sp + 8, or 16 from byte `extra` of each 16 bytes on
  RULE_SIGNAL = 4,         // the kernel has saved all registers on the stack
  RULE_FRAME_POINTER = 5,  // fp points at the caller's fp, the return address is behind it
};

enum rule_flag {
  RULE_CFA_LOADED = 1,      // CFA = load(base + cfa_offset) + 8 * extra
  RULE_RA_IN_REGISTER = 2,  // the return address is in register `extra`
  RULE_FP_SAVED = 4,      // the caller's frame pointer is at CFA + fp_offset; else it is unchanged
  RULE_FP_AT_FP = 8,      // with RULE_FP_SAVED: at fp + fp_offset, where stacks are realigned
  RULE_OTHER_STACK = 16,  // the caller is on another stack, above or below
  RULE_NOT_CALLED = 32,   // no call is right before this code, although its address was returned to
  RULE_FROM_CODE = 64,    // derived from instructions: the return address must follow a call
};

// How to get from a frame to its caller. CFA, the canonical frame address, is the caller's stack
// pointer.
struct unwind_rule {
  u8 kind;
  u8 flags;
  u8 cfa_base;  // number of a register
  u8 extra;
  s32 cfa_offset;  // CFA = base + cfa_offset
  s32 ra_offset;   // the return address is at CFA + ra_offset
  s32 fp_offset;
};
LAYOUT_ASSERT(sizeof(struct unwind_rule) == 16);

struct unwind_row {
  u16 low;   // of the first address that the rule holds for
  u16 rule;  // index
};

enum page_state { PAGE_ABSENT = 0, PAGE_ASKED = 1, PAGE_LOADED = 2 };

// The first row of a page that has any begins at 0.
struct code_page {
  u32 row_base;  // chunk * ROWS_PER_CHUNK + index
  u16 row_count;
  u8 state;
  u8 is_used;  // set by each look-up, cleared by who looks for pages to drop
};
LAYOUT_ASSERT(sizeof(struct code_page) == 8);

struct code_file {
  u32 page_base;   // of its first page in the table of pages
  u32 page_first;  // address >> CODE_PAGE_SHIFT of that page
  u32 page_count;
  u32 reserved;
};

// ---- Processes
// -----------------------------------------------------------------------------------

#define NO_FILE 0xffffffffu

struct code_mapping {
  u64 start;  // in the process
  u64 end;
  u64 bias;  // address in the process - address in the file
  u32 file;  // NO_FILE for memory that no file has, such as that of a JIT compiler
  u32 reserved;
};
LAYOUT_ASSERT(sizeof(struct code_mapping) == 32);

enum thread_context_kind {
  CONTEXT_NONE = 0,
  CONTEXT_STATIC = 1,   // at thread pointer + offset
  CONTEXT_DYNAMIC = 2,  // in the block of a module, found through the thread's vector of blocks
};

// Where each thread of a process has the pointer to its active context.
struct thread_context_place {
  u8 kind;
  u8 dtv_stride;  // bytes of an entry of the vector
  u8 reserved[2];
  u32 module;
  s64 dtv_offset;  // of the vector's address, from the thread pointer
  s64 offset;
};

enum process_flag {
  // It makes code while it runs, in memory that it makes executable without telling anybody: an
  // address that no mapping has is code of this kind.
  PROCESS_MAKES_CODE = 1,
};

struct process_tables {
  u64 start_time_ns;  // of the process, since boot, in ticks of 10 ms: numbers are used again
  u32 mapping_base;   // chunk * MAPPINGS_PER_CHUNK + index
  u32 mapping_count;
  u32 flags;    // enum process_flag
  u32 version;  // another one whenever the mappings change; 0 is none
  struct thread_context_place context;
};

// ---- Frames
// --------------------------------------------------------------------------------------

// One word each:
//
//   63..60 kind   59 return address   58 guessed   57..41 file   40..0 address in the file
//                                                  57..0 address in the process
enum frame_kind {
  FRAME_IN_FILE = 0,
  FRAME_IN_PROCESS = 1,
  FRAME_OMITTED = 2,  // stands for frames that a deep stack has between its two ends
  // Those of interpreters follow.
};
#define FRAME_KIND_SHIFT 60
#define FRAME_RETURN_ADDRESS (1ull << 59)
#define FRAME_GUESSED (1ull << 58)  // found by the frame pointer where there was no table
#define FRAME_FILE_SHIFT 41
#define FRAME_FILE_MASK 0x1ffffull
#define FRAME_FILE_ADDRESS_MASK ((1ull << 41) - 1)
#define FRAME_ADDRESS_MASK ((1ull << 58) - 1)

// How a walk along a stack ended. The names are told to users.
enum unwind_end {
  UNWIND_MORE = 0,      // not yet
  UNWIND_COMPLETE = 1,  // at the outermost frame
  UNWIND_NO_USER_STACK = 2,
  UNWIND_UNKNOWN_PROCESS = 3,
  UNWIND_NO_MAPPING = 4,
  UNWIND_PAGE_ABSENT = 5,
  UNWIND_NO_RULE = 6,
  UNWIND_BAD_RULE = 7,
  UNWIND_CFA_UNREADABLE = 8,
  UNWIND_RETURN_ADDRESS_UNREADABLE = 9,
  UNWIND_FRAME_POINTER_UNREADABLE = 10,
  UNWIND_BAD_PC = 11,
  UNWIND_REGISTER_LOST = 12,  // a rule needs one that the frame did not save
  UNWIND_STACK_BACKWARDS = 13,
  UNWIND_TOO_DEEP = 14,
  UNWIND_COMPAT = 15,  // a 32-bit process
  UNWIND_EXEC = 16,    // the process is between two programs: its registers are of the old one
  UNWIND_END_COUNT = 17,
};

// ---- Messages
// ------------------------------------------------------------------------------------

enum message_kind {
  MESSAGE_TRACE = 1,
  MESSAGE_STACK = 2,     // registers and stack that belong to the trace right before, for the rest
  MESSAGE_CONTEXT = 3,   // of the thread of the trace right before
  MESSAGE_WAIT_END = 4,  // a thread runs again
  MESSAGE_NEED_PAGE = 5,
  MESSAGE_NEED_PROCESS = 6,  // unknown, or with an address that none of its mappings has
};

enum trace_origin {
  ORIGIN_ON_CPU = 0,
  ORIGIN_OFF_CPU = 1,
  ORIGIN_COUNTED = 2,  // an event that is counted, such as a page fault
};

// Why a thread left its processor.
enum wait_state { WAIT_PREEMPTED = 0, WAIT_SLEEP = 1, WAIT_DISK = 2, WAIT_LOCK = 3 };

enum trace_flag { TRACE_STACK_FOLLOWS = 1, TRACE_CONTEXT_FOLLOWS = 2 };

struct message_head {
  u32 kind;
  u32 tid;
  u64 time_ns;  // CLOCK_MONOTONIC; with tid it ties messages together
};

struct trace_message {
  struct message_head head;
  u64 start_time_ns;  // of the process, since boot
  u64 cgroup_id;
  u32 tgid;
  u32 cpu;
  u32 probability;  // of off-CPU traces: chosen so many times in 65536
  u8 origin;
  u8 wait;  // enum wait_state; of ORIGIN_COUNTED: which event, by its place in the recorder's list
  u8 end;   // enum unwind_end
  u8 flags;
  u16 kernel_count;
  u16 user_count;
  u32 event_count;    // of ORIGIN_COUNTED: events since the last sample
  u32 omitted_count;  // frames in the middle that found no room, see trace_frames.h
  u32 reserved;
  u64 content;  // a hash of all but time and processor, which repeats name; 0: none will
  char comm[COMM_BYTES];
  u64 frames[KERNEL_FRAMES_MAX + 1 + USER_FRAMES_MAX];  // kernel, then user, each leaf first
};
LAYOUT_ASSERT(offsetof(struct trace_message, frames) == 88);

// A trace like one that was sent whole, but for its time.
struct trace_repeat {
  u64 time_ns;
  u64 content;
};

// Those of one processor, whose programs write them; the user's side reads.
struct repeat_ring {
  u64 written;  // so many in all
  u64 read;
  struct trace_repeat repeats[REPEATS_MAX];
};

struct stack_message {
  struct message_head head;
  struct unwind_registers registers;  // of the first frame that is missing
  u64 stack_address;                  // of the first piece, a little below the stack pointer
  u64 pieces;                         // bit i: piece i could be read and is in `stack`
  u32 stack_bytes;
  u32 reserved;
  u8 stack[STACK_COPY_MAX];  // upwards, without the pieces that are missing
};
LAYOUT_ASSERT(offsetof(struct stack_message, stack) == 312);

struct context_message {
  struct message_head head;
  u32 bytes;
  u32 reserved;
  u8 record[THREAD_CONTEXT_MAX];
};

struct wait_end_message {
  struct message_head head;  // time_ns is that of the trace
  u64 wake_ns;               // when it could have run again
  u64 run_ns;                // when it did
};

struct need_message {
  struct message_head head;
  u32 tgid;
  u32 file;
  u32 page;  // index in the table of pages
  u32 reserved;
  u64 address;
};

// ---- Settings and counters
// -----------------------------------------------------------------------

enum choice {
  CHOOSE_ALL = 0,
  CHOOSE_PROCESSES = 1,  // and those that they start
  CHOOSE_CGROUPS = 2,
  CHOOSE_USERS = 4,
  CHOOSE_COMMANDS = 8,
  CHOOSE_THREADS = 16,
};

struct fixed_settings {
  u32 own_tgid;  // the recorder does not record its own waiting
  u32 choices;   // enum choice; a thread that one of them has is recorded
  u8 has_loop;   // bpf_loop, from Linux 5.17 on; else programs call each other
  u8 reads_context;
  u8 chooses_processors;  // waits that begin on one of chosen_processors alone
  u8 reserved;
  u32 sent_mask;    // one less than the number of entries of `sent`, a power of two
  u64 content_key;  // so that nobody can make up a stack that has the hash of another
};

struct changing_settings {
  u64 wait_unit_ns;      // a wait that is expected to last this long is always recorded
  u32 wait_chance_min;   // and any other at least so many times in 65536
  u32 stack_copies_max;  // per second and processor
  u32 wake_bytes;        // of waiting traces, from which on the user side is woken
  u32 file_generation;   // steps that were kept hold as long as it stays the same
  u32 period;            // repeats name traces that were sent in the same
  u32 reserved;
};

enum counter {
  COUNTER_SAMPLES = 0,
  COUNTER_TRACES_LOST = 1,  // for want of room on the way to the user's side
  COUNTER_STACKS_LOST = 2,
  COUNTER_STACKS_REFUSED = 3,  // more than may be copied in a second
  COUNTER_CONTEXTS_LOST = 4,
  COUNTER_REQUESTS_LOST = 5,
  COUNTER_WAITS = 6,  // threads that left their processor
  COUNTER_WAITS_TAKEN = 7,
  COUNTER_WAITS_LOST = 8,
  COUNTER_END_FIRST = 9,  // one for each way in which a walk ends
  COUNTER_COUNT = COUNTER_END_FIRST + UNWIND_END_COUNT,
};

#ifdef __cplusplus
}  // namespace flarestack::record::bpf
#endif
