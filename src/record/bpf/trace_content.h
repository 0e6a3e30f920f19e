// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// A hash of a trace without its time. It starts with a secret key, and each step is one to one, so
// traces that differ in one word never collide.
#pragma once

#include "record/bpf/tables.h"

static __always_inline u64 fold(u64 content, u64 word) {
  content ^= word;
  content ^= content >> 32;
  return content * 0x9e3779b97f4a7c15ull;
}

// `content` is the hash of the user frames. Never returns 0.
static __always_inline u64 content_of(const struct trace_message* trace, u64 content,
                                      u32 process_version) {
  const u64* comm = (const u64*)trace->comm;
  for (u32 i = 0; i < KERNEL_FRAMES_MAX; ++i) {
    if (i >= trace->kernel_count)
      break;
    content = fold(content, trace->frames[i]);
  }
  content = fold(content, ((u64)trace->kernel_count << 32) | trace->user_count);
  content = fold(content, ((u64)trace->tgid << 32) | trace->head.tid);
  content = fold(content, ((u64)process_version << 32) | trace->end);
  content = fold(content, trace->start_time_ns);
  content = fold(content, trace->cgroup_id);
  content = fold(content, comm[0]);
  content = fold(content, comm[1]);
  content = fold(content, changing.period);
  content ^= content >> 32;
  return content ? content : 1;
}
