// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// Unwinds a user stack: finds the mapping, page, row and rule of each frame.
#pragma once

#include "record/bpf/step_cache.h"
#include "record/bpf/walk_language.h"
#include "record/bpf/walk_state.h"

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
    if (walk->process.flags & PROCESS_HAS_RUNTIME)
      step->rule.kind = RULE_GENERATED;
    else if (!runtime_of(walk))
      request(MESSAGE_NEED_RUNTIME, walk, 0);
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

// Records one native frame and moves walk->frame to its caller. Returns walk->end, which stays
// UNWIND_MORE as long as there is a caller.
static __always_inline u32 walk_native(struct walk_state* walk, struct step_cache* cache) {
  struct unwind_registers* frame = &walk->frame;
  const u64 pc = frame->pc | (frame->is_return_address ? FRAME_RETURN_ADDRESS : 0);
  struct cached_step* step = cached_step_of(cache, pc, walk->process.version);
  if (!holds_step(step, pc, walk->process.version) && !look_up_step(walk, step, pc))
    return walk->end;
  if (step->rule.kind == RULE_GENERATED)
    return walk_generated(walk, step->word, step->word >> FRAME_KIND_SHIFT == FRAME_IN_FILE);
  if (!push_frame(walk, step->word))
    return walk->end = UNWIND_TOO_DEEP;
  if (step->rule.kind == RULE_NONE)
    return walk->end = unwind_guess(frame, &walk->window);
  walk->end = unwind_step(frame, &step->rule, &walk->window, walk->saved);
  if (step->rule.flags & RULE_INTERPRETER)
    begin_language(walk);
  return walk->end;
}

// Records one frame, native or of a language. Returns walk->end.
static __always_inline u32 walk_frame(struct walk_state* walk, struct step_cache* cache) {
  if (walk->language.state == LANGUAGE_WALKING)
    return walk_language(walk);
  walk_native(walk, cache);
  // Nothing leads from here to the callers, but the interpreter knows its own frames.
  if (walk->end != UNWIND_MORE && walk->end != UNWIND_COMPLETE)
    begin_rest(walk);
  return walk->end;
}
