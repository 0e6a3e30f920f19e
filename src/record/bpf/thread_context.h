// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// Reads the active context of a thread: the record that its SDK keeps in thread-local storage
// (trace id, span id, attributes). It is read while the thread is stopped, as the format requires.
#pragma once

#include "record/bpf/registers.h"
#include "record/bpf/walk.h"

enum thread_record {
  RECORD_VALID = 24,
  RECORD_ATTRIBUTE_BYTES = 26,
  RECORD_HEAD_BYTES = 28,
};

static __always_inline bool read_word(u64 address, u64* word) {
  return bpf_probe_read_user(word, sizeof(*word), (const void*)address) == 0;
}

// Returns the address of the thread's pointer to its record, or 0 if it has none.
static __always_inline u64 find_context_slot(struct task_struct* task,
                                             const struct thread_context_place* place) {
  const u64 pointer = thread_pointer(task);
  u64 blocks;
  u64 block;
  if (pointer == 0)
    return 0;
  if (place->kind == CONTEXT_STATIC)
    return pointer + place->offset;
  if (!read_word(pointer + place->dtv_offset, &blocks))
    return 0;
  if (!read_word(blocks + (u64)place->module * place->dtv_stride, &block))
    return 0;
  // The C library has not allocated the block for this thread yet.
  if (block == 0 || block == ~0ull)
    return 0;
  return block + place->offset;
}

static __always_inline void read_thread_context(struct task_struct* task, struct walk_state* walk) {
  struct context_message* message = &walk->context;
  u64 slot;
  u64 record;
  u32 bytes;
  if (!fixed.reads_context || walk->process.context.kind == CONTEXT_NONE)
    return;
  slot = find_context_slot(task, &walk->process.context);
  if (slot == 0 || !read_word(slot, &record) || record == 0)
    return;
  if (bpf_probe_read_user(message->record, RECORD_HEAD_BYTES, (const void*)record) != 0)
    return;
  if (message->record[RECORD_VALID] != 1)
    return;
  bytes = message->record[RECORD_ATTRIBUTE_BYTES] |
          ((u32)message->record[RECORD_ATTRIBUTE_BYTES + 1] << 8);
  if (bytes > THREAD_CONTEXT_MAX - RECORD_HEAD_BYTES)
    bytes = THREAD_CONTEXT_MAX - RECORD_HEAD_BYTES;
  if (bpf_probe_read_user(message->record + RECORD_HEAD_BYTES, bytes,
                          (const void*)(record + RECORD_HEAD_BYTES)) != 0) {
    bytes = 0;
  }
  message->head = walk->trace.head;
  message->head.kind = MESSAGE_CONTEXT;
  message->bytes = RECORD_HEAD_BYTES + bytes;
  walk->trace.flags |= TRACE_CONTEXT_FOLLOWS;
}
