// SPDX-License-Identifier: Apache-2.0
//
// The spans of a store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/text/pattern.h"
#include "model/trace.h"
#include "store/matcher.h"
#include "store/read_query.h"

namespace flarestack::store {

// All spans of a trace.
struct TraceQuery {
  std::string_view trace_id;  // 16 bytes
  TryReserve try_reserve = {};
  OnProgress on_progress = {};  // parts are not known
};

// Conditions left at their default match everything.
struct SpanQuery {
  std::vector<Matcher> matchers;  // on attributes of the resource
  std::string name;
  std::optional<base::Pattern> name_pattern;
  uint64_t duration_min_nanos = 0;
  uint64_t duration_max_nanos = UINT64_MAX;
  std::optional<model::SpanStatusCode> status;
  std::vector<Matcher> attributes;  // on attributes of the span
  TimeRange range;                  // of the span's start
  size_t limit = 1000;
  TimeOrder order = TimeOrder::kOldestFirst;
  std::string after;  // cursor: `next` from the response to the same query; continues after it
  TryReserve try_reserve = {};
  OnProgress on_progress = {};  // parts are not known; stopping leaves `next` empty
};

struct SelectedSpans : model::TraceBatch {
  std::string next;  // empty: no more items
};

class TraceStore {
 public:
  virtual ~TraceStore() = default;

  // Returns once the batch is durable. Items must be valid (model/validation/item_check.h).
  // Duplicates are stored once: a span is identified by its ids.
  virtual absl::Status AppendTraces(const model::TraceBatch& batch) = 0;

  // Returns items ordered by time, except that items of one resource and scope are grouped. Empty
  // if nothing matches. SelectSpans() returns kInvalidArgument if `after` is not a cursor
  // the store returned.
  virtual absl::StatusOr<model::TraceBatch> SelectTrace(const TraceQuery& query) = 0;
  virtual absl::StatusOr<SelectedSpans> SelectSpans(const SpanQuery& query) = 0;
};

}  // namespace flarestack::store
