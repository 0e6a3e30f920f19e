// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// Reads the goroutine that a thread of a Go program runs: its id, and the labels that the program
// set with runtime/pprof. They are read while the thread is stopped, because the runtime may free
// labels as soon as they are replaced.
#pragma once

#include "record/bpf/walk_language.h"
// Needs UNWIND_READ_DATA.
#include "record/bpf/go_step.h"

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 2048);
  __type(key, u32);
  __type(value, struct go_process);
} go_processes SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, LEVEL_COUNT);
  __type(key, u32);
  __type(value, struct goroutine_message);
} goroutines SEC(".maps");

static __always_inline struct goroutine_message* goroutine_of(const struct walk_state* walk) {
  const u32 level = walk->trace.origin == ORIGIN_OFF_CPU ? LEVEL_OFF_CPU : LEVEL_ON_CPU;
  return bpf_map_lookup_elem(&goroutines, &level);
}

// A global function: the verifier checks it once, and not with every path that leads to it.
__noinline u32 read_goroutine(struct walk_state* walk) {
  const struct go_process* go;
  struct goroutine_message* message;
  u64 g = 0;
  u64 goroutine;
  u32 tgid;
  if (!walk || !fixed.reads_goroutines)
    return 0;
  tgid = walk->trace.tgid;  // a copy: verifiers before 6.2 accept no key in the argument
  go = bpf_map_lookup_elem(&go_processes, &tgid);
  message = goroutine_of(walk);
  if (!go || !message)
    return 0;
  if (go->place == GO_REGISTER) {
    g = walk->frame.regs[GO_ARM64_REGISTER];
  } else if (go->place == GO_THREAD_LOCAL) {
    const u64 address = walk->language.thread_pointer + go->offset;
    if (bpf_probe_read_user(&g, sizeof(g), (const void*)address) != 0)
      return 0;
  }
  goroutine = go_running(go, 0, g);
  if (goroutine == 0)
    return 0;
  message->goid = 0;
  message->bytes = 0;
  if (fixed.reads_goroutine_ids) {
    bpf_probe_read_user(&message->goid, sizeof(message->goid),
                        (const void*)(goroutine + go->g_goid));
  }
  if (fixed.reads_context)
    go_read_labels(go, 0, goroutine, message);
  if (message->goid == 0 && message->bytes == 0)
    return 0;
  message->head = walk->trace.head;
  message->head.kind = MESSAGE_GOROUTINE;
  walk->trace.flags |= TRACE_GOROUTINE_FOLLOWS;
  return 0;
}

// Not inlined, because the frames of a whole chain of calls share 512 bytes.
static __noinline void send_goroutine(const struct walk_state* walk) {
  struct goroutine_message* message = goroutine_of(walk);
  u32 bytes;
  if (!message)
    return;
  bytes = message->bytes + offsetof(struct goroutine_message, record);
  if (bytes > sizeof(*message))
    bytes = sizeof(*message);
  if (bpf_ringbuf_output(&traces, message, bytes, BPF_RB_NO_WAKEUP) != 0)
    count(COUNTER_CONTEXTS_LOST);
}
