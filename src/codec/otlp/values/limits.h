// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace flarestack::codec::otlp {

// The limits of one message, in protobuf or JSON. A zero-length entry costs the sender two or three
// bytes and us about fifty: without limits a small message could use all memory. A message beyond a
// limit is rejected with kResourceExhausted.
struct Limits {
  uint32_t table_entries_max = 1 << 24;  // per table, and for resources, scopes and profiles
  uint32_t samples_max = 1 << 26;
  uint32_t items_max = 1 << 24;  // spans, events, links, log records, metrics, data points, ...
  uint32_t attributes_per_item_max = 1 << 16;  // of one span, log record, data point, event, ...
  uint32_t list_elements_max =
      1 << 28;                // values, timestamps, indices, attributes, buckets, per message
  uint32_t nesting_max = 64;  // of attribute values
  // The memory of the message until it is stored, as estimated by memory_cost.h.
  uint64_t memory_bytes_max = UINT64_MAX;
  uint64_t* memory_bytes = nullptr;  // if set, receives the estimate of a message
};

}  // namespace flarestack::codec::otlp
