// SPDX-License-Identifier: Apache-2.0
//
// Finds traces that have a span which matches all conditions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "query/data/data_source.h"
#include "store/store.h"

namespace flarestack::query {

// A trace in one row.
struct TraceSummary {
  std::string service;  // of the main root, like the next four
  std::string name;
  uint64_t start = 0;
  uint64_t duration_nanos = 0;
  model::SpanStatusCode status = model::SpanStatusCode::kUnset;
  bool has_root = false;  // if false, an orphan represents it
  uint64_t span_count = 0;
  uint64_t error_count = 0;
  std::vector<std::string> services;  // sorted
};
TraceSummary Summarize(const model::TraceBatch& batch);  // needs at least one span

struct TraceSearch {
  enum class Sort : uint8_t { kNewest, kLongest };  // of the matching spans

  store::SpanQuery spans;  // without limit, order and `after`
  size_t limit = 20;
  Sort sort = Sort::kNewest;
  size_t spans_max = 100'000;  // examined before the search stops
};

struct FoundTrace {
  std::string trace_id;
  std::vector<std::string> span_ids;  // of a few matching spans
  uint64_t newest_start = 0;          // of the examined spans
  uint64_t longest_nanos = 0;
  TraceSummary summary;
};

struct FoundTraces {
  std::vector<FoundTrace> traces;
  uint64_t spans_scanned = 0;
  bool is_complete = true;  // if false, the oldest spans of the range were not examined
  bool has_more = false;    // traces beyond the limit may match as well
  // For Sort::kNewest with has_more: the end of the range for the next search. A trace with spans
  // on both sides of it is found again.
  uint64_t next_to = 0;
};

absl::StatusOr<FoundTraces> FindTraces(const DataSource& source, const TraceSearch& search);

}  // namespace flarestack::query
