// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// What BPF needs to find the goroutine that a thread of a Go program runs, and the record of it
// that BPF sends. Compiled into both sides.
#pragma once

#include "record/bpf/layout.h"

#ifdef __cplusplus
namespace flarestack::record::bpf {
#endif

// Where a thread keeps its pointer to g.
enum go_place {
  GO_NOWHERE = 0,
  GO_THREAD_LOCAL = 1,  // at thread pointer + offset
  GO_REGISTER = 2,      // in register GO_ARM64_REGISTER
};

enum go_label_kind {
  GO_LABEL_MAP = 0,   // before 1.24: a map of strings
  GO_LABEL_LIST = 1,  // a slice of pairs of strings
};

enum go_limits {
  GO_ARM64_REGISTER = 28,
  GO_LABELS_MAX = 10,
  GO_KEY_BYTES_MAX = 64,  // longer texts are truncated
  GO_VALUE_BYTES_MAX = 256,
  GO_KEY_BYTES_MASK = 127,  // cover the maxima
  GO_VALUE_BYTES_MASK = 511,
  GO_MAP_BUCKET_COUNT = 2,  // read of a map, with 8 labels each
  GO_LABEL_HEAD_BYTES = 4,
  // A label that begins beyond this is dropped.
  GO_LABEL_START_MAX = 1680,
  GO_RECORD_BYTES_MAX = 2048,
};

struct go_process {
  u8 place;       // enum go_place
  u8 label_kind;  // enum go_label_kind
  u16 g_m;        // offsets of fields
  u16 g_goid;
  u16 g_labels;
  u16 m_curg;
  u16 reserved[3];
  s64 offset;
};
LAYOUT_ASSERT(sizeof(struct go_process) == 24);

// The record: for each label u16 key_bytes, u16 value_bytes, key, value.
struct goroutine_message {
  struct message_head head;
  u64 goid;  // 0: not requested
  u32 bytes;
  u32 reserved;
  u8 record[GO_RECORD_BYTES_MAX + GO_LABEL_HEAD_BYTES + GO_KEY_BYTES_MASK + GO_VALUE_BYTES_MASK];
};

#ifdef __cplusplus
}  // namespace flarestack::record::bpf
#endif
