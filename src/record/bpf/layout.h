// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// The interface between the BPF programs and user space: tables that user space fills and BPF
// reads, and messages that BPF sends. Compiled into both.
//
//   process --mapping_base--> mappings --file--> file --page--> rows --rule--> unwind_rule
//
// A process has its executable mappings, sorted. A mapping leads to a file and to the address in
// it. A file has pages of 64 KiB of code; a page has rows, sorted by the low 16 bits of the first
// address they apply to; a row refers to one of the distinct rules. Pages are filled once a sample
// needs them, so memory use depends on what runs and not on what is installed.
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
  STACK_PIECE_BYTES = 1024,  // a stack is copied in aligned pieces; unreadable ones are skipped
  STACK_PIECES_MAX = 64,     // tried, starting at the stack pointer
  CODE_PAGE_SHIFT = 16,
  ROWS_PER_CHUNK = 16384,     // 64 KiB; the rows of one page never cross a chunk
  MAPPINGS_PER_CHUNK = 2048,  // 64 KiB; the mappings of one process never cross a chunk
  RULES_MAX = 32768,
  FILES_MAX = 16384,
  KERNEL_FRAMES_MAX = 127,  // the limit of bpf_get_stack
  USER_FRAMES_MAX = 1024,   // words; a frame of a language runtime has two
  // For deeper stacks, a trace keeps the innermost frames and the last USER_FRAMES_OUTER ones.
  USER_FRAMES_OUTER = 128,  // a power of two
  USER_FRAMES_INNER = USER_FRAMES_MAX - USER_FRAMES_OUTER,
  USER_FRAMES_WALKED_MAX = 4096,  // unwinding gives up here
  // Bytes sent of a stack that could not be unwound yet. The loop of libuv has a frame of 17 KB.
  STACK_COPY_MAX = 32768,
  COMM_BYTES = 16,
  UNWIND_END_MASK = 31,      // covers all of enum unwind_end
  THREAD_CONTEXT_MAX = 640,  // bytes of a thread's context record with its attributes
  REPEATS_MAX = 512,         // unread repeats per CPU
};

// ---- Registers, by their DWARF numbers ---------------------------------------------------------

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

// The registers of one frame during the search for its caller. All registers other than pc, stack
// pointer and frame pointer are those of the interrupted frame, and valid only for that frame.
struct unwind_registers {
  u64 pc;
  u64 regs[REGISTER_COUNT];
  u8 is_return_address;  // pc follows a call, so the call is looked up at pc - 1
  u8 has_all;            // all of regs belong to this frame
  u8 is_chained;         // found through the frame pointer of the previous frame
  u8 reserved[5];
};
LAYOUT_ASSERT(sizeof(struct unwind_registers) == 272);

// ---- Unwind tables -----------------------------------------------------------------------------

enum rule_kind {
  RULE_NONE = 0,           // no information about these addresses
  RULE_STOP = 1,           // the outermost frame
  RULE_CFA = 2,            // by offsets, see below
  RULE_PLT = 3,            // x86-64: CFA = sp + 8, or 16 from byte `extra` of each 16 bytes on
  RULE_SIGNAL = 4,         // the kernel has saved all registers on the stack
  RULE_FRAME_POINTER = 5,  // fp points to the caller's fp, followed by the return address
  RULE_GENERATED = 6,      // code of a language's compiler: its runtime describes the frames
};

enum rule_flag {
  RULE_CFA_LOADED = 1,      // CFA = load(base + cfa_offset) + 8 * extra
  RULE_RA_IN_REGISTER = 2,  // the return address is in register `extra`
  RULE_FP_SAVED = 4,        // the caller's frame pointer is at CFA + fp_offset; unset: unchanged
  RULE_FP_AT_FP = 8,        // with RULE_FP_SAVED: at fp + fp_offset, where stacks are realigned
  RULE_OTHER_STACK = 16,    // the caller is on another stack, above or below
  RULE_NOT_CALLED = 32,     // not preceded by a call, although control returns to its address
  RULE_FROM_CODE = 64,      // derived from instructions: the return address must follow a call
  RULE_INTERPRETER = 128,   // the loop of an interpreter: frames of the language it runs follow
};

// How to get from a frame to its caller. The CFA, or canonical frame address, is the caller's stack
// pointer.
struct unwind_rule {
  u8 kind;
  u8 flags;
  u8 cfa_base;  // register number
  u8 extra;
  s32 cfa_offset;  // CFA = base + cfa_offset
  s32 ra_offset;   // the return address is at CFA + ra_offset
  s32 fp_offset;
};
LAYOUT_ASSERT(sizeof(struct unwind_rule) == 16);

struct unwind_row {
  u16 low;   // low 16 bits of the first address the rule applies to
  u16 rule;  // index
};

enum page_state { PAGE_ABSENT = 0, PAGE_ASKED = 1, PAGE_LOADED = 2 };

// The first row of a non-empty page begins at 0.
struct code_page {
  u32 row_base;  // chunk * ROWS_PER_CHUNK + index
  u16 row_count;
  u8 state;
  u8 is_used;  // set by each lookup, cleared when user space looks for pages to drop
};
LAYOUT_ASSERT(sizeof(struct code_page) == 8);

struct code_file {
  u32 page_base;   // index of its first page in the page table
  u32 page_first;  // address >> CODE_PAGE_SHIFT of that page
  u32 page_count;
  u32 reserved;
};

// ---- Processes ---------------------------------------------------------------------------------

#define NO_FILE 0xffffffffu

struct code_mapping {
  u64 start;  // address in the process
  u64 end;
  u64 bias;  // address in the process - address in the file
  u32 file;  // NO_FILE for memory without a file, such as JIT-compiled code
  u32 reserved;
};
LAYOUT_ASSERT(sizeof(struct code_mapping) == 32);

enum thread_context_kind {
  CONTEXT_NONE = 0,
  CONTEXT_STATIC = 1,   // at thread pointer + offset
  CONTEXT_DYNAMIC = 2,  // in the TLS block of a module, found through the thread's DTV
};

// Location of each thread's pointer to its active context.
struct thread_context_place {
  u8 kind;
  u8 dtv_stride;  // size of a DTV entry in bytes
  u8 reserved[2];
  u32 module;
  s64 dtv_offset;  // of the DTV pointer, relative to the thread pointer
  s64 offset;
};

enum process_flag {
  // The process generates code at run time (JIT). No event reports that it makes memory executable,
  // so any address outside all mappings counts as such code.
  PROCESS_MAKES_CODE = 1,
  PROCESS_HAS_RUNTIME = 2,  // it is in `runtimes`
  PROCESS_IS_GO = 4,        // it is in `go_processes`
};

struct process_tables {
  u64 start_time_ns;  // since boot, in ticks of 10 ms; detects reused pids
  u32 mapping_base;   // chunk * MAPPINGS_PER_CHUNK + index
  u32 mapping_count;
  u32 flags;    // enum process_flag
  u32 version;  // changes whenever the mappings change; 0: none
  struct thread_context_place context;
};

// ---- Frames ------------------------------------------------------------------------------------

// One word each:
//
//   63..60 kind   59 return address   58 guessed   56..41 file   40..0 address in the file
//                                                  57..0 address in the process
enum frame_kind {
  FRAME_IN_FILE = 0,
  FRAME_IN_PROCESS = 1,
  FRAME_OMITTED = 2,  // stands for the omitted middle frames of a deep stack
  // The native frames from here on are missing. The frames of interpreters that follow belong
  // between them.
  FRAME_REST = 3,
  FRAME_JAVA = 4,      // see java_process.h; with an operand
  FRAME_V8 = 5,        // see v8_process.h; with an operand
  FRAME_PYTHON = 6,    // 59 called from C   47..0 code object; with an operand
  FRAME_NAMED = 14,    // only in user space: a frame of record/runtime/frame_table.h
  FRAME_OPERAND = 15,  // belongs to the word before it
};
#define FRAME_KIND_SHIFT 60
#define FRAME_RETURN_ADDRESS (1ull << 59)
#define FRAME_GUESSED (1ull << 58)        // found through the frame pointer, without a table
#define FRAME_CALLED_FROM_C (1ull << 59)  // of FRAME_PYTHON: its interpreter loop ends here
#define FRAME_INTERNAL (1ull << 57)  // of FRAME_IN_FILE, only in user space: part of an interpreter
#define FRAME_OBJECT_MASK ((1ull << 48) - 1)
// The operand of FRAME_PYTHON:
//
//   59..32 offset of the instruction in bytes   31..0 cookie of the code object
#define FRAME_INSTRUCTION_SHIFT 32
#define FRAME_INSTRUCTION_MASK ((1ull << 28) - 1)
#define FRAME_FILE_SHIFT 41
#define FRAME_FILE_MASK 0xffffull
#define FRAME_FILE_ADDRESS_MASK ((1ull << 41) - 1)
#define FRAME_ADDRESS_MASK ((1ull << 58) - 1)

// How unwinding ended. The names are visible to users.
enum unwind_end {
  UNWIND_MORE = 0,      // not ended
  UNWIND_COMPLETE = 1,  // reached the outermost frame
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
  UNWIND_REGISTER_LOST = 12,  // a rule needs a register that the frame did not save
  UNWIND_STACK_BACKWARDS = 13,
  UNWIND_TOO_DEEP = 14,
  UNWIND_COMPAT = 15,  // a 32-bit process
  UNWIND_EXEC = 16,    // during exec: the registers belong to the old program
  UNWIND_END_COUNT = 17,
};

// ---- Messages ----------------------------------------------------------------------------------

enum message_kind {
  MESSAGE_TRACE = 1,
  MESSAGE_STACK = 2,     // registers and stack of the preceding trace, to unwind the rest
  MESSAGE_CONTEXT = 3,   // context of the thread of the preceding trace
  MESSAGE_WAIT_END = 4,  // a thread runs again
  MESSAGE_NEED_PAGE = 5,
  MESSAGE_NEED_PROCESS = 6,  // unknown, or with an address outside its mappings
  MESSAGE_NEED_RUNTIME = 7,  // it runs an interpreter that is not in `runtimes`
  MESSAGE_GOROUTINE = 8,     // of the thread of the preceding trace, see go_process.h
};

enum trace_origin {
  ORIGIN_ON_CPU = 0,
  ORIGIN_OFF_CPU = 1,
  ORIGIN_COUNTED = 2,  // a counted event, such as a page fault
};

// Why a thread left its CPU.
enum wait_state { WAIT_PREEMPTED = 0, WAIT_SLEEP = 1, WAIT_DISK = 2, WAIT_LOCK = 3 };

enum trace_flag {
  TRACE_STACK_FOLLOWS = 1,
  TRACE_CONTEXT_FOLLOWS = 2,
  TRACE_GOROUTINE_FOLLOWS = 4,
};

struct message_head {
  u32 kind;
  u32 tid;
  u64 time_ns;  // CLOCK_MONOTONIC; together with tid it links messages
};

struct trace_message {
  struct message_head head;
  u64 start_time_ns;  // of the process, since boot
  u64 cgroup_id;
  u32 tgid;
  u32 cpu;
  u32 probability;  // of off-CPU traces: chance of being recorded, in 1/65536
  u8 origin;
  u8 wait;  // enum wait_state; for ORIGIN_COUNTED: index of the event in the recorder's list
  u8 end;   // enum unwind_end
  u8 flags;
  u16 kernel_count;
  u16 user_count;
  u32 event_count;    // for ORIGIN_COUNTED: events since the last sample
  u32 omitted_count;  // middle frames that did not fit, see language_frames.h
  u32 reserved;
  u64 content;  // hash of everything except time and CPU, used by repeats; 0: never repeated
  char comm[COMM_BYTES];
  u64 frames[KERNEL_FRAMES_MAX + 1 + USER_FRAMES_MAX];  // kernel, then user, each leaf first
};
LAYOUT_ASSERT(offsetof(struct trace_message, frames) == 88);

// A trace that equals one sent completely, except for its time.
struct trace_repeat {
  u64 time_ns;
  u64 content;
};

// The repeats of one CPU. The programs of that CPU write them; user space reads them.
struct repeat_ring {
  u64 written;  // total number written
  u64 read;
  struct trace_repeat repeats[REPEATS_MAX];
};

// Scratch memory exists once per level, because one program may interrupt another on the same CPU.
enum program_level { LEVEL_ON_CPU = 0, LEVEL_OFF_CPU = 1, LEVEL_COUNT = 2 };

struct stack_message {
  struct message_head head;
  struct unwind_registers registers;  // of the first missing frame
  u64 stack_address;                  // of the first piece, at or just below the stack pointer
  u64 pieces;                         // bit i: piece i was readable and is in `stack`
  u32 stack_bytes;
  u32 reserved;
  u8 stack[STACK_COPY_MAX];  // ascending addresses, without the missing pieces
};
LAYOUT_ASSERT(offsetof(struct stack_message, stack) == 312);

struct context_message {
  struct message_head head;
  u32 bytes;
  u32 reserved;
  u8 record[THREAD_CONTEXT_MAX];
};

struct wait_end_message {
  struct message_head head;  // with the time_ns of the trace
  u64 wake_ns;               // when the thread became runnable
  u64 run_ns;                // when it ran
};

struct need_message {
  struct message_head head;
  u32 tgid;
  u32 file;
  u32 page;  // index into the page table
  u32 reserved;
  u64 address;
};

// ---- Settings and counters ---------------------------------------------------------------------

enum choice {
  CHOOSE_ALL = 0,
  CHOOSE_PROCESSES = 1,  // including their descendants
  CHOOSE_CGROUPS = 2,
  CHOOSE_USERS = 4,
  CHOOSE_COMMANDS = 8,
  CHOOSE_THREADS = 16,
};

struct fixed_settings {
  u32 own_tgid;  // the recorder does not record its own waits
  u32 choices;   // enum choice; a thread that matches any of them is recorded
  u8 has_loop;   // bpf_loop, since Linux 5.17; 0: programs use tail calls
  u8 reads_context;
  u8 chooses_processors;  // only records waits that begin on one of chosen_processors
  u8 reads_goroutine_ids;
  u8 reads_goroutines;  // 0: neither ids nor labels
  u8 reserved[3];
  u32 sent_mask;    // size of `sent` minus one; the size is a power of two
  u64 content_key;  // secret, so that no process can forge a stack with the hash of another
};

struct changing_settings {
  u64 wait_unit_ns;      // a wait that is expected to last this long is always recorded
  u32 wait_chance_min;   // any other wait is recorded with at least this chance, in 1/65536
  u32 stack_copies_max;  // per second and CPU
  u32 wake_bytes;        // user space is woken once this many bytes of traces are unread
  u32 file_generation;   // cached steps are valid as long as it stays the same
  u32 period;            // repeats refer to traces sent in the same period
  u32 reserved;
};

enum counter {
  COUNTER_SAMPLES = 0,
  COUNTER_TRACES_LOST = 1,  // for lack of space in the ring buffer
  COUNTER_STACKS_LOST = 2,
  COUNTER_STACKS_REFUSED = 3,  // exceeded stack_copies_max
  COUNTER_CONTEXTS_LOST = 4,
  COUNTER_REQUESTS_LOST = 5,
  COUNTER_WAITS = 6,  // threads that left their CPU
  COUNTER_WAITS_TAKEN = 7,
  COUNTER_WAITS_LOST = 8,
  COUNTER_RUNTIMES_UNREADABLE = 9,  // stacks whose interpreter frames could not be read
  COUNTER_END_FIRST = 10,           // one for each value of enum unwind_end
  COUNTER_COUNT = COUNTER_END_FIRST + UNWIND_END_COUNT,
};

#ifdef __cplusplus
}  // namespace flarestack::record::bpf
#endif
