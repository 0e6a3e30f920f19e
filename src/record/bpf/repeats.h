// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// Traces that say nothing new: a thread is met at the same stack again and again. Of such a trace
// its time is sent, with the hash of all else, once it was sent whole in the same period. That
// saves both sides most of what a trace costs on its way.
#pragma once

#include "record/bpf/tables.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);  // one for each processor
  __type(key, u32);
  __type(value, struct repeat_ring);
} repeats SEC(".maps");

// By the low bits of their hash, the traces that were sent whole, of all processors.
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

// False where the trace has to be sent whole: it is new, or nobody has read the last ones.
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
  // Only programs of this processor write, and none interrupts another. The count is told after
  // what it counts: an atomic sum is ordered, on all architectures, if its result is used.
  return __sync_fetch_and_add(&ring->written, 1) != ~0ull;
}
