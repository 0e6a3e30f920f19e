// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// Unwinds a user stack: finds the mapping, page, row and rule of each frame.
#pragma once

#include "record/bpf/stack_window.h"
#include "record/bpf/step_cache.h"
#include "record/bpf/tables.h"
#include "record/bpf/trace_content.h"

#define UNWIND_READ(memory, target, size, address) read_stack(memory, target, size, address)
#define UNWIND_READ_CODE(memory, target, size, address) \
  bpf_probe_read_user(target, size, (const void*)(address))
#include "record/bpf/unwind_step.h"

enum {
  MAPPING_SEARCH_STEPS = 11,  // log2 of MAPPINGS_PER_CHUNK
  ROW_SEARCH_STEPS = 14,      // log2 of ROWS_PER_CHUNK
};

// Returns all ones if `value` is at most `bound`, or 0; both are below 2^63. Searches have no
// branches, because the verifier follows both sides of each: fifteen steps would be 32 768 paths.
static __always_inline u64 mask_if_at_most(u64 value, u64 bound) {
  u64 mask = (u64)((s64)(value - bound - 1) >> 63);
  asm volatile("" : "+r"(mask));  // prevents the compiler from making it a branch
  return mask;
}

// The state of an unwind, too large for the 512 bytes of stack. One per level.
struct walk_state {
  struct unwind_registers frame;
  struct process_tables process;
  struct code_mapping mapping;  // of the last frame: the next is often in the same mapping
  u64 saved[REGISTER_COUNT + 1];
  struct stack_window window;
  u32 end;
  u32 stack_tokens;
  u64 stack_tokens_time_ns;
  u64 content;  // hash of the frames so far
  struct trace_message trace;
  struct stack_message stack;
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

// Finds the mapping of an address and stores it in walk->mapping. Returns false if the process has
// none there.
static __always_inline bool find_mapping(struct walk_state* walk, u64 address) {
  const struct mapping_chunk* chunk;
  const struct code_mapping* found;
  u64 first;
  u64 left;
  u32 index;
  if (address >= walk->mapping.start && address < walk->mapping.end)
    return true;
  index = walk->process.mapping_base / MAPPINGS_PER_CHUNK;
  chunk = bpf_map_lookup_elem(&mappings, &index);
  left = walk->process.mapping_count;
  if (!chunk || left == 0)
    return false;
  first = walk->process.mapping_base;
  // The mapping is among the `left` entries from `first` on.
  for (int i = 0; i < MAPPING_SEARCH_STEPS; ++i) {
    const u64 half = left / 2;
    const u64 start = chunk->mappings[(first + half) & (MAPPINGS_PER_CHUNK - 1)].start;
    first += half & mask_if_at_most(start, address);
    left -= half;
  }
  found = &chunk->mappings[first & (MAPPINGS_PER_CHUNK - 1)];
  if (address >= found->end || address < found->start)
    return false;
  walk->mapping = *found;
  return true;
}

// Returns the rule for an address in the file of walk->mapping, or null with the reason in
// walk->end.
static __always_inline const struct unwind_rule* find_rule(struct walk_state* walk, u64 address) {
  const struct row_chunk* chunk;
  const struct code_file* file;
  struct code_page* page;
  u32 index = walk->mapping.file;
  u64 first;
  u64 left;
  file = bpf_map_lookup_elem(&files, &index);
  index = (u32)(address >> CODE_PAGE_SHIFT);
  if (!file || index < file->page_first || index - file->page_first >= file->page_count) {
    walk->end = UNWIND_NO_RULE;
    return 0;
  }
  index = index - file->page_first + file->page_base;
  page = bpf_map_lookup_elem(&pages, &index);
  if (!page || page->state != PAGE_LOADED) {
    walk->end = UNWIND_PAGE_ABSENT;
    if (page && page->state == PAGE_ABSENT) {
      page->state = PAGE_ASKED;
      request(MESSAGE_NEED_PAGE, walk, index);
    }
    return 0;
  }
  page->is_used = 1;
  first = page->row_base;
  left = page->row_count;
  index = page->row_base / ROWS_PER_CHUNK;
  chunk = bpf_map_lookup_elem(&rows, &index);
  walk->end = UNWIND_NO_RULE;
  if (!chunk || left == 0)
    return 0;
  // The first row begins at 0, so at least one row is at or before the address.
  for (int i = 0; i < ROW_SEARCH_STEPS; ++i) {
    const u64 half = left / 2;
    const u64 low = chunk->rows[(first + half) & (ROWS_PER_CHUNK - 1)].low;
    first += half & mask_if_at_most(low, address & 0xffff);
    left -= half;
  }
  index = chunk->rows[first & (ROWS_PER_CHUNK - 1)].rule;
  return bpf_map_lookup_elem(&rules, &index);
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

// Fills `step` on a cache miss, without a rule if no table has one. Returns false if unwinding ends
// before this frame, with the reason in walk->end.
static __always_inline bool look_up_step(struct walk_state* walk, struct cached_step* step,
                                         u64 pc) {
  u64 flags = walk->frame.is_return_address ? FRAME_RETURN_ADDRESS : 0;
  const u64 lookup = walk->frame.pc - walk->frame.is_return_address;
  const struct unwind_rule* rule;
  if (!find_mapping(walk, lookup)) {
    walk->mapping.start = 0;
    walk->mapping.end = 0;
    walk->mapping.file = NO_FILE;
  }
  if (walk->mapping.end == 0 && !(walk->process.flags & PROCESS_MAKES_CODE)) {
    request(MESSAGE_NEED_PROCESS, walk, 0);
    walk->end = UNWIND_NO_MAPPING;
    return false;
  }
  step->pc = 0;  // until it is complete
  step->rule.kind = RULE_NONE;
  if (walk->mapping.file == NO_FILE) {
    step->word =
        ((u64)FRAME_IN_PROCESS << FRAME_KIND_SHIFT) | flags | (walk->frame.pc & FRAME_ADDRESS_MASK);
  } else {
    rule = find_rule(walk, lookup - walk->mapping.bias);
    // User space unwinds the rest, from this frame on.
    if (walk->end == UNWIND_PAGE_ABSENT)
      return false;
    if (rule)
      step->rule = *rule;
    if (unwind_is_never_called(&step->rule))
      flags = 0;
    step->word = flags | ((u64)walk->mapping.file << FRAME_FILE_SHIFT) |
                 ((walk->frame.pc - walk->mapping.bias) & FRAME_FILE_ADDRESS_MASK);
  }
  step->pc = pc;
  step->process_version = walk->process.version;
  step->file_generation = changing.file_generation;
  return true;
}

// Records one frame and moves walk->frame to its caller. Returns walk->end, which stays UNWIND_MORE
// as long as there is a caller.
static __always_inline u32 walk_frame(struct walk_state* walk, struct step_cache* cache) {
  struct unwind_registers* frame = &walk->frame;
  const u64 pc = frame->pc | (frame->is_return_address ? FRAME_RETURN_ADDRESS : 0);
  struct cached_step* step = cached_step_of(cache, pc, walk->process.version);
  if (!holds_step(step, pc, walk->process.version) && !look_up_step(walk, step, pc))
    return walk->end;
  if (!push_frame(walk, step->word))
    return walk->end = UNWIND_TOO_DEEP;
  if (step->rule.kind == RULE_NONE)
    return walk->end = unwind_guess(frame, &walk->window);
  return walk->end = unwind_step(frame, &step->rule, &walk->window, walk->saved);
}
