// SPDX-License-Identifier: Apache-2.0
//
// One OTLP traces message in memory; see model/signal_batch.h for the tree around the spans.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/signal_batch.h"

namespace flarestack::model {

// Open enumerations, as in proto3: unknown numbers are kept.
enum class SpanKind : int32_t {
  kUnspecified = 0,
  kInternal = 1,
  kServer = 2,
  kClient = 3,
  kProducer = 4,
  kConsumer = 5,
};
enum class SpanStatusCode : int32_t { kUnset = 0, kOk = 1, kError = 2 };

// Masks of Span::flags and SpanLink::flags. The other bits are passed on unchanged.
inline constexpr uint32_t kSpanFlagsTraceFlags = 0xff;
inline constexpr uint32_t kSpanFlagsHasIsRemote = 0x100;
inline constexpr uint32_t kSpanFlagsIsRemote = 0x200;

struct SpanEvent {
  uint64_t time_unix_nano = 0;
  std::string_view name;
  Slice attributes;  // in nodes
  uint32_t dropped_attributes_count = 0;
};

struct SpanLink {
  std::string_view trace_id;
  std::string_view span_id;
  std::string_view trace_state;
  Slice attributes;  // in nodes
  uint32_t dropped_attributes_count = 0;
  uint32_t flags = 0;
};

// Ids are the received bytes, of any length; see model/validation/item_check.h.
struct Span {
  std::string_view trace_id;
  std::string_view span_id;
  std::string_view trace_state;     // W3C tracestate
  std::string_view parent_span_id;  // empty for a root span
  std::string_view name;
  SpanKind kind = SpanKind::kUnspecified;
  SpanStatusCode status_code = SpanStatusCode::kUnset;
  std::string_view status_message;
  uint64_t start_time_unix_nano = 0;
  uint64_t end_time_unix_nano = 0;
  Slice attributes;  // in nodes
  Slice events;
  Slice links;
  uint32_t dropped_attributes_count = 0;
  uint32_t dropped_events_count = 0;
  uint32_t dropped_links_count = 0;
  uint32_t flags = 0;
};

struct TraceBatch : SignalBatch {
  std::vector<Span> spans;
  std::vector<SpanEvent> events;
  std::vector<SpanLink> links;

  // Empties every table but keeps the memory for the next message. Does not touch the arena.
  void Clear();
};

}  // namespace flarestack::model
