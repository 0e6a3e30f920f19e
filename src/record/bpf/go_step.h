// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// Finds the goroutine that a thread of a Go program runs, and copies its labels. Shared by the BPF
// programs and tests. Including files must define how memory is read:
//
//   #define UNWIND_READ_DATA(memory, target, size, address)   ...   // 0 when all of it was read
//
//   g --g_m--> m --m_curg--> goroutine --g_labels--> list or map of labels
//
// Everything that is read may be damaged, or made to look so.
#pragma once

#include "record/bpf/go_process.h"
#include "record/bpf/python_process.h"

#ifdef __cplusplus
namespace flarestack::record::bpf {
#endif

struct go_string {
  u64 address;
  u64 bytes;
};

// Go's map before 1.24.
enum go_map {
  GO_MAP_BUCKETS_SHIFT_AT = 9,  // u8: log2 of the number of buckets
  GO_MAP_BUCKETS_AT = 16,
  GO_BUCKET_SLOTS = 8,
  GO_BUCKET_KEYS_AT = 8,  // after a byte for each slot
  GO_BUCKET_VALUES_AT = GO_BUCKET_KEYS_AT + GO_BUCKET_SLOTS * 16,
  GO_BUCKET_BYTES = GO_BUCKET_VALUES_AT + GO_BUCKET_SLOTS * 16 + 8,
  GO_SLOT_USED_MIN = 5,  // smaller values mark slots that are empty or were moved
  GO_MAP_SLOTS_MAX = GO_MAP_BUCKET_COUNT * GO_BUCKET_SLOTS,
};

// Where a label's strings are described.
struct go_label_place {
  u64 key;
  u64 value;
};

// Appends a label. Does nothing if its strings cannot be read.
UNWIND_INLINE void go_append_label(struct goroutine_message* message, void* memory,
                                   struct go_label_place place) {
  struct go_string key;
  struct go_string value;
  // Read back from memory, so that the verifier does not track each possible length separately.
  const u32 used = *LAYOUT_CAST(volatile u32*, &message->bytes);
  u64 key_bytes;
  u64 value_bytes;
  u64 at;
  u8* target;
  if (used > GO_LABEL_START_MAX)
    return;
  if (UNWIND_READ_DATA(memory, &key, sizeof(key), place.key) != 0 ||
      UNWIND_READ_DATA(memory, &value, sizeof(value), place.value) != 0 || key.bytes == 0) {
    return;
  }
  key_bytes = key.bytes;
  if (key_bytes > GO_KEY_BYTES_MAX)
    key_bytes = GO_KEY_BYTES_MAX;
  value_bytes = value.bytes;
  if (value_bytes > GO_VALUE_BYTES_MAX)
    value_bytes = GO_VALUE_BYTES_MAX;
  // The verifier of Linux 6.1 loses the bounds when the compiler moves the values. A mask behind a
  // barrier is an instruction that it sees right before the use.
  __asm__ volatile("" : "+r"(key_bytes));
  key_bytes &= GO_KEY_BYTES_MASK;
  __asm__ volatile("" : "+r"(value_bytes));
  value_bytes &= GO_VALUE_BYTES_MASK;
  at = used;
  __asm__ volatile("" : "+r"(at));
  at &= GO_RECORD_BYTES_MAX - 1;
  target = &message->record[at];
  if (UNWIND_READ_DATA(memory, target + GO_LABEL_HEAD_BYTES, key_bytes, key.address) != 0)
    return;
  if (value_bytes != 0 && UNWIND_READ_DATA(memory, target + GO_LABEL_HEAD_BYTES + key_bytes,
                                           value_bytes, value.address) != 0) {
    return;
  }
  target[0] = LAYOUT_CAST(u8, key_bytes);
  target[1] = 0;
  target[2] = LAYOUT_CAST(u8, value_bytes);
  target[3] = LAYOUT_CAST(u8, value_bytes >> 8);
  message->bytes = LAYOUT_CAST(u32, used + GO_LABEL_HEAD_BYTES + key_bytes + value_bytes);
}

// The address of the first label, and the number of labels.
UNWIND_INLINE void go_read_list(struct goroutine_message* message, void* memory, u64 labels) {
  u64 list[2];
  if (UNWIND_READ_DATA(memory, list, sizeof(list), labels) != 0)
    return;
  for (u32 i = 0; i < GO_LABELS_MAX; ++i) {
    struct go_label_place place;
    if (i >= list[1])
      break;
    place.key = list[0] + i * 32ull;
    place.value = place.key + 16;
    go_append_label(message, memory, place);
  }
}

// The address of a map. Its first buckets are read, which is all of them for up to 8 labels.
UNWIND_INLINE void go_read_map(struct goroutine_message* message, void* memory, u64 labels) {
  u64 map;
  u64 buckets;
  u8 shift;
  if (UNWIND_READ_DATA(memory, &map, sizeof(map), labels) != 0 ||
      UNWIND_READ_DATA(memory, &shift, sizeof(shift), map + GO_MAP_BUCKETS_SHIFT_AT) != 0 ||
      UNWIND_READ_DATA(memory, &buckets, sizeof(buckets), map + GO_MAP_BUCKETS_AT) != 0) {
    return;
  }
  for (u32 i = 0; i < GO_MAP_SLOTS_MAX; ++i) {
    const u64 bucket = buckets + LAYOUT_CAST(u64, i / GO_BUCKET_SLOTS) * GO_BUCKET_BYTES;
    const u32 slot = i % GO_BUCKET_SLOTS;
    struct go_label_place place;
    u8 mark;
    if ((shift == 0 && i >= GO_BUCKET_SLOTS) ||
        UNWIND_READ_DATA(memory, &mark, sizeof(mark), bucket + slot) != 0) {
      break;
    }
    if (mark < GO_SLOT_USED_MIN)
      continue;
    place.key = bucket + GO_BUCKET_KEYS_AT + slot * 16ull;
    place.value = bucket + GO_BUCKET_VALUES_AT + slot * 16ull;
    go_append_label(message, memory, place);
  }
}

// Returns the goroutine that the thread with this g runs, or 0. The runtime may run on a g of its
// own (g0), on behalf of that goroutine or between two of them. A wrong g, or wrong offsets, do not
// lead back to the same m.
UNWIND_INLINE u64 go_running(const struct go_process* go, void* memory, u64 g) {
  u64 m;
  u64 goroutine;
  u64 its_m;
  if (g == 0 || UNWIND_READ_DATA(memory, &m, sizeof(m), g + go->g_m) != 0 || m == 0)
    return 0;
  if (UNWIND_READ_DATA(memory, &goroutine, sizeof(goroutine), m + go->m_curg) != 0 ||
      goroutine == 0)
    return 0;
  if (UNWIND_READ_DATA(memory, &its_m, sizeof(its_m), goroutine + go->g_m) != 0 || its_m != m)
    return 0;
  return goroutine;
}

UNWIND_INLINE void go_read_labels(const struct go_process* go, void* memory, u64 goroutine,
                                  struct goroutine_message* message) {
  u64 labels;
  if (UNWIND_READ_DATA(memory, &labels, sizeof(labels), goroutine + go->g_labels) != 0 ||
      labels == 0)
    return;
  if (go->label_kind == GO_LABEL_LIST)
    go_read_list(message, memory, labels);
  else
    go_read_map(message, memory, labels);
}

#ifdef __cplusplus
}  // namespace flarestack::record::bpf
#endif
