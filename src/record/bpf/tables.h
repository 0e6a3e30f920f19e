// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// The BPF maps. Maps that user space fills are mmapable, so that it writes them like its own
// memory. Sizes that depend on the machine are set before loading.
#pragma once

#include "record/bpf/kernel_types.h"
// Needs the kernel types above.
#include <bpf/bpf_helpers.h>

#include "record/bpf/layout.h"
#include "record/bpf/runtimes.h"

struct row_chunk {
  struct unwind_row rows[ROWS_PER_CHUNK];
};

struct mapping_chunk {
  struct code_mapping mappings[MAPPINGS_PER_CHUNK];
};

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 16384);
  __type(key, u32);
  __type(value, struct process_tables);
} processes SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 4096);
  __type(key, u32);
  __type(value, struct runtime_process);
} runtimes SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, u32);
  __type(value, struct mapping_chunk);
} mappings SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, FILES_MAX);
  __type(key, u32);
  __type(value, struct code_file);
} files SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, u32);
  __type(value, struct code_page);
} pages SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, u32);
  __type(value, struct row_chunk);
} rows SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, RULES_MAX);
  __type(key, u32);
  __type(value, struct unwind_rule);
} rules SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 262144);
} traces SEC(".maps");

// Requests wake user space, so they do not wait behind traces.
struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 65536);
} requests SEC(".maps");

// ---- Recording filter --------------------------------------------------------------------------

#define SET_OF(name, key_type, entries) \
  struct {                              \
    __uint(type, BPF_MAP_TYPE_HASH);    \
    __uint(max_entries, entries);       \
    __type(key, key_type);              \
    __type(value, u8);                  \
  } name SEC(".maps")

struct command_name {
  char text[COMM_BYTES];
};

SET_OF(chosen_processes, u32, 16384);
SET_OF(chosen_cgroups, u64, 4096);
SET_OF(chosen_users, u32, 256);
SET_OF(chosen_commands, struct command_name, 256);
SET_OF(chosen_threads, u32, 1024);
SET_OF(chosen_processors, u32, 8192);

// ---- Counters ----------------------------------------------------------------------------------

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, COUNTER_COUNT);
  __type(key, u32);
  __type(value, u64);
} counters SEC(".maps");

static __always_inline void count(u32 counter) {
  u64* value = bpf_map_lookup_elem(&counters, &counter);
  if (value)
    ++*value;
}

// ---- Settings ----------------------------------------------------------------------------------

// Fixed at load time; the verifier skips code that these settings disable.
const volatile struct fixed_settings fixed = {};

// May change while the programs run.
volatile struct changing_settings changing = {};
