// SPDX-License-Identifier: Apache-2.0
//
// A trace as columns: entry i of each column describes span i, and spans refer to each other by
// index. Times are offsets from `start`, in nanoseconds.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "model/log.h"
#include "query/traces/critical_path.h"
#include "query/traces/span_samples.h"
#include "query/traces/span_tree.h"
#include "server/api/endpoint.h"

namespace flarestack::server::api {

class TraceJson {
 public:
  // Drops spans beyond `spans_max`: the deepest and last ones of the tree go first.
  TraceJson(const model::TraceBatch& batch, size_t spans_max);

  bool is_complete() const { return span_count_ == tree_.nodes.size(); }
  size_t span_count() const { return span_count_; }
  size_t all_span_count() const { return tree_.nodes.size(); }

  Json Head() const;  // trace_id, start, duration, root
  Json Spans();       // call first: fills the tables of names, services and resources
  Json names() const { return names_.texts; }
  Json services() const { return services_.texts; }
  Json Resources() const;
  Json CriticalPath() const;

  // One entry per span that has any, by the span's index; -1 if the span is missing.
  Json Logs(const model::LogBatch& logs) const;
  Json Samples(const std::map<std::string, std::vector<query::SpanSamples>>& samples) const;

 private:
  struct Texts {  // deduplicated
    std::vector<std::string> texts;
    std::map<std::string, size_t, std::less<>> positions;
    size_t Find(std::string_view text);
  };

  int64_t PositionOf(std::string_view span_id) const;
  uint64_t Offset(uint64_t time) const { return time - std::min(time, start_); }
  Json Events(const model::Span& span) const;
  Json Links(const model::Span& span) const;

  const model::TraceBatch& batch_;
  const query::SpanTree tree_;
  const std::vector<query::PathSegment> path_;
  const size_t span_count_;
  uint64_t start_ = UINT64_MAX;
  uint64_t end_ = 0;
  std::map<std::string_view, size_t> positions_;  // by span id
  Texts names_;
  Texts services_;
};

}  // namespace flarestack::server::api
