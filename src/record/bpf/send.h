// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// Sends traces and their parts to user space.
#pragma once

#include "record/bpf/goroutine.h"
#include "record/bpf/repeats.h"
#include "record/bpf/walk.h"

enum {
  NANOSECONDS_PER_SECOND = 1000000000,
  YOUNG_PROCESS_NS = 1000000000,
  SMALLEST_PAGE_SHIFT = 12,  // pages may be larger on arm64
};

// User space reads traces periodically. It is woken early when a quarter of the ring buffer is
// full, so that bursts do not overflow it.
static __always_inline u64 wake_up_flag(void) {
  return bpf_ringbuf_query(&traces, BPF_RB_AVAIL_DATA) > changing.wake_bytes ? BPF_RB_FORCE_WAKEUP
                                                                             : BPF_RB_NO_WAKEUP;
}

// The functions of an interpreter are named by reading its memory, so the traces of processes that
// may end soon are read at once.
static __always_inline bool is_urgent(const struct walk_state* walk) {
  return walk->language.state != LANGUAGE_UNKNOWN &&
         bpf_ktime_get_boot_ns() - walk->trace.start_time_ns < YOUNG_PROCESS_NS;
}

// One for each CPU and level. A copy is larger than the kernel permits for a value per CPU.
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, LEVEL_COUNT);  // user space multiplies it by the number of CPUs
  __type(key, u32);
  __type(value, struct stack_message);
} stack_copies SEC(".maps");

// Stack copies are expensive, so their number per second is limited.
static __always_inline bool take_stack_token(struct walk_state* walk) {
  const u64 now = walk->trace.head.time_ns;
  if (now - walk->stack_tokens_time_ns > NANOSECONDS_PER_SECOND) {
    walk->stack_tokens_time_ns = now;
    walk->stack_tokens = changing.stack_copies_max;
  }
  if (walk->stack_tokens == 0)
    return false;
  --walk->stack_tokens;
  return true;
}

// A stack has holes: a page that was never written cannot be read, and frames continue beyond it.
// Unreadable pieces use no space in the message. Each missing page costs one attempt, so there are
// at most 16 of those.
static __always_inline void copy_stack(const struct walk_state* walk, struct stack_message* stack) {
  u64 address = walk->frame.regs[REG_SP] & ~(u64)(STACK_PIECE_BYTES - 1);
  u64 missing_page = 0;
  stack->stack_address = address;
  stack->stack_bytes = 0;
  stack->pieces = 0;
  for (int i = 0; i < STACK_PIECES_MAX; ++i, address += STACK_PIECE_BYTES) {
    // Read back from memory, so that the verifier does not track each possible count separately.
    const u32 copied = *(volatile u32*)&stack->stack_bytes;
    if (copied >= STACK_COPY_MAX)
      break;
    if (address >> SMALLEST_PAGE_SHIFT == missing_page)
      continue;
    if (bpf_probe_read_user(&stack->stack[copied & (STACK_COPY_MAX - STACK_PIECE_BYTES)],
                            STACK_PIECE_BYTES, (const void*)address) != 0) {
      missing_page = address >> SMALLEST_PAGE_SHIFT;
      continue;
    }
    stack->stack_bytes = copied + STACK_PIECE_BYTES;
    stack->pieces |= 1ull << i;
  }
}

static __always_inline void send_stack(const struct walk_state* walk) {
  const u32 level = walk->trace.origin == ORIGIN_OFF_CPU ? LEVEL_OFF_CPU : LEVEL_ON_CPU;
  const u32 key = bpf_get_smp_processor_id() * LEVEL_COUNT + level;
  struct stack_message* stack = bpf_map_lookup_elem(&stack_copies, &key);
  u32 bytes;
  if (!stack) {
    count(COUNTER_STACKS_LOST);
    return;
  }
  copy_stack(walk, stack);
  stack->head = walk->trace.head;
  stack->head.kind = MESSAGE_STACK;
  stack->registers = walk->frame;
  bytes = stack->stack_bytes + offsetof(struct stack_message, stack);
  if (bytes > sizeof(*stack))
    bytes = sizeof(*stack);
  if (bpf_ringbuf_output(&traces, stack, bytes, BPF_RB_NO_WAKEUP) != 0)
    count(COUNTER_STACKS_LOST);
}

// Sends walk->trace, with its stack if unwinding ended for lack of tables.
static __always_inline void send_trace(struct walk_state* walk) {
  struct trace_message* trace = &walk->trace;
  u32 bytes = trace->kernel_count + trace->user_count;
  bool with_stack = walk->end == UNWIND_PAGE_ABSENT || walk->end == UNWIND_UNKNOWN_PROCESS ||
                    walk->end == UNWIND_NO_MAPPING;
  if (with_stack && !take_stack_token(walk)) {
    with_stack = false;
    count(COUNTER_STACKS_REFUSED);
  }
  trace->end = walk->end;
  if (with_stack)
    trace->flags |= TRACE_STACK_FOLLOWS;
  count(COUNTER_END_FIRST + (walk->end & UNWIND_END_MASK));
  // Traces of waits, and traces with a stack or context message, cannot be repeated: other messages
  // refer to them.
  trace->content = 0;
  if (trace->origin == ORIGIN_ON_CPU && trace->flags == 0) {
    trace->content = content_of(trace, walk->content, walk->process.version);
    if (send_repeat(trace))
      return;
  }
  bytes = bytes * sizeof(u64) + offsetof(struct trace_message, frames);
  if (bytes > sizeof(*trace))
    bytes = sizeof(*trace);
  if (bpf_ringbuf_output(&traces, trace, bytes,
                         is_urgent(walk) ? BPF_RB_FORCE_WAKEUP : wake_up_flag()) != 0) {
    count(trace->origin == ORIGIN_OFF_CPU ? COUNTER_WAITS_LOST : COUNTER_TRACES_LOST);
    return;
  }
  if (trace->content != 0)
    note_sent(trace->content);
  if (with_stack)
    send_stack(walk);
  if (trace->flags & TRACE_CONTEXT_FOLLOWS) {
    bytes = walk->context.bytes + offsetof(struct context_message, record);
    if (bytes > sizeof(walk->context))
      bytes = sizeof(walk->context);
    if (bpf_ringbuf_output(&traces, &walk->context, bytes, BPF_RB_NO_WAKEUP) != 0) {
      count(COUNTER_CONTEXTS_LOST);
    }
  }
  if (trace->flags & TRACE_GOROUTINE_FOLLOWS)
    send_goroutine(walk);
}
