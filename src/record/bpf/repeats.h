// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// Sends repeated traces in short form: a thread is often sampled at the same stack. Once a trace
// was sent completely in the current period, its repeats consist only of the time and a hash of
// everything else. That saves both sides most of the cost of a trace.
#pragma once

#include "record/bpf/tables.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);  // one per CPU
  __type(key, u32);
  __type(value, struct repeat_ring);
} repeats SEC(".maps");

// The traces that were sent completely, of all CPUs, indexed by the low bits of their hash.
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, u32);
  __type(value, u64);
} sent SEC(".maps");

static __always_inline void note_sent(u64 content) {
  const u32 index = (u32)content & fixed.sent_mask;
  u64* entry = bpf_map_lookup_elem(&sent, &index);
  if (entry)
    *entry = content;
}

// Returns false if the trace has to be sent completely: it is new, or the ring buffer of repeats is
// full.
static __always_inline bool send_repeat(const struct trace_message* trace) {
  const u32 index = (u32)trace->content & fixed.sent_mask;
  const u64* entry = bpf_map_lookup_elem(&sent, &index);
  struct trace_repeat* repeat;
  struct repeat_ring* ring;
  if (!entry || *entry != trace->content)
    return false;
  ring = bpf_map_lookup_elem(&repeats, &trace->cpu);
  if (!ring || ring->written - *(volatile u64*)&ring->read >= REPEATS_MAX)
    return false;
  repeat = &ring->repeats[ring->written & (REPEATS_MAX - 1)];
  repeat->time_ns = trace->head.time_ns;
  repeat->content = trace->content;
  // Only programs on this CPU write, and none interrupts another. The count is published after the
  // entry: an atomic add whose result is used is ordered on all architectures.
  return __sync_fetch_and_add(&ring->written, 1) != ~0ull;
}
