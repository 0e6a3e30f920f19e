// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// The state of an unwind, the frames found so far, and requests to user space.
#pragma once

#include "record/bpf/stack_window.h"
#include "record/bpf/tables.h"
#include "record/bpf/trace_content.h"

// Where the frames of an interpreter come from. See walk_language.h.
struct language_walk {
  u64 thread_pointer;
  struct python_cursor cursor;  // the next frame
  struct runtime_process runtime;
  u32 end;     // of the native frames, once the frames of the interpreter are recorded
  u8 state;    // enum language_state
  u8 is_rest;  // all frames are recorded, and not only those of one interpreter loop
  u8 reserved[2];
  union {
    struct python_scratch scratch;
    u64 java_scratch[JAVA_SCRATCH_WORDS];
    u8 v8_scratch[V8_SCRATCH_BYTES];
  };
  u64 words[2];  // of a frame
};

// The state of an unwind, too large for the 512 bytes of stack. One per level.
struct walk_state {
  struct unwind_registers frame;
  struct process_tables process;
  struct code_mapping mapping;  // of the last frame: the next is often in the same mapping
  u64 saved[REGISTER_COUNT + 1];
  struct stack_window window;
  u32 end;
  struct language_walk language;
  u32 stack_tokens;
  u64 stack_tokens_time_ns;
  u64 content;  // hash of the frames so far
  struct trace_message trace;
  struct context_message context;
};

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, LEVEL_COUNT);
  __type(key, u32);
  __type(value, struct walk_state);
} walk_states SEC(".maps");

static __always_inline void request(u32 kind, struct walk_state* walk, u32 page) {
  struct need_message message = {
      .head = {.kind = kind, .tid = walk->trace.head.tid, .time_ns = walk->trace.head.time_ns},
      .tgid = walk->trace.tgid,
      .file = walk->mapping.file,
      .page = page,
      .address = walk->frame.pc,
  };
  if (bpf_ringbuf_output(&requests, &message, sizeof(message), BPF_RB_FORCE_WAKEUP) != 0) {
    count(COUNTER_REQUESTS_LOST);
  }
}

// When the buffer is full, the slots of the outermost frames are reused as a ring, so that they
// contain the last frames.
static __always_inline bool push_frame(struct walk_state* walk, u64 word) {
  struct trace_message* trace = &walk->trace;
  const u32 walked = trace->user_count + trace->omitted_count;
  u32 index = walked;
  if (walked >= USER_FRAMES_WALKED_MAX)
    return false;
  if (walked >= USER_FRAMES_MAX)
    index = USER_FRAMES_INNER + ((walked - USER_FRAMES_INNER) & (USER_FRAMES_OUTER - 1));
  index += trace->kernel_count;
  if (index >= KERNEL_FRAMES_MAX + 1 + USER_FRAMES_MAX)
    return false;
  trace->frames[index] = word;
  if (walked < USER_FRAMES_MAX)
    ++trace->user_count;
  else
    ++trace->omitted_count;
  walk->content = fold(walk->content, word);
  return true;
}
