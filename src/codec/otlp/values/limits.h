// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace flarestack::codec::otlp {

// What one message may hold, in protobuf or JSON. A zero-length entry costs the sender two or three
// bytes and us about fifty: without these a small message could ask for all of memory. A message
// beyond a limit is kResourceExhausted.
struct Limits {
  uint32_t table_entries_max = 1 << 24;  // per table, and for resources, scopes and profiles
  uint32_t samples_max = 1 << 26;
  uint32_t items_max = 1 << 24;  // spans, events, links, log records, metrics, points, ...
  uint32_t attributes_per_item_max = 1 << 16;  // of one span, log record, point, event, ...
  uint32_t list_elements_max =
      1 << 28;                // values, timestamps, indices, attributes, buckets, per message
  uint32_t nesting_max = 64;  // of attribute values
  // Of the message until it is stored, as memory_cost.h estimates it.
  uint64_t memory_bytes_max = UINT64_MAX;
  uint64_t* memory_bytes = nullptr;  // set: the estimate of a message goes here
};

}  // namespace flarestack::codec::otlp
