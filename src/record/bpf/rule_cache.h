// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// Rules that were found lately, by where they were looked for. Stacks are much alike from one
// sample to the next, and a search among rows touches many lines of memory where this touches one.
#pragma once

#include "record/bpf/tables.h"

enum {
  RULE_CACHE_BITS = 10,
  RULE_CACHE_SIZE = 1 << RULE_CACHE_BITS,
};

struct cached_rule {
  u64 place;  // file and address, as in the word of a frame
  u32 generation;
  u32 rule;
};

struct rule_cache {
  struct cached_rule rules[RULE_CACHE_SIZE];
};

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, LEVEL_COUNT);
  __type(key, u32);
  __type(value, struct rule_cache);
} rule_caches SEC(".maps");

// Where the rule of a place is, if it is here at all.
static __always_inline struct cached_rule* cached_rule_of(struct rule_cache* cache, u64 place) {
  return &cache->rules[(place * 0x9e3779b97f4a7c15ull) >> (64 - RULE_CACHE_BITS)];
}

static __always_inline bool holds_rule(const struct cached_rule* cached, u64 place) {
  return cached->place == place && cached->generation == changing.file_generation;
}

static __always_inline void keep_rule(struct cached_rule* cached, u64 place, u32 rule) {
  cached->place = place;
  cached->generation = changing.file_generation;
  cached->rule = rule;
}
