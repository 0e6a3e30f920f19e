// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// A cache of recently unwound frames: the recorded word of each, and the rule that leads to its
// caller. Stacks differ little from one sample to the next. A search through mappings, pages and
// rows touches many cache lines; a hit here touches one.
#pragma once

#include "record/bpf/tables.h"

enum {
  STEP_CACHE_BITS = 9,  // a per-CPU value is limited to 32 KiB
  STEP_CACHE_SIZE = 1 << STEP_CACHE_BITS,
};

struct cached_step {
  u64 pc;  // with FRAME_RETURN_ADDRESS if it is a return address
  u32 process_version;
  u32 file_generation;
  u64 word;  // of the frame
  struct unwind_rule rule;
};

struct step_cache {
  struct cached_step steps[STEP_CACHE_SIZE];
};

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, LEVEL_COUNT);
  __type(key, u32);
  __type(value, struct step_cache);
} step_caches SEC(".maps");

// Returns the only entry that can contain the step from this address.
static __always_inline struct cached_step* cached_step_of(struct step_cache* cache, u64 pc,
                                                          u32 process_version) {
  const u64 hash = (pc + ((u64)process_version << 32)) * 0x9e3779b97f4a7c15ull;
  return &cache->steps[hash >> (64 - STEP_CACHE_BITS)];
}

static __always_inline bool holds_step(const struct cached_step* step, u64 pc,
                                       u32 process_version) {
  return step->pc == pc && step->process_version == process_version &&
         step->file_generation == changing.file_generation;
}
