// SPDX-License-Identifier: Apache-2.0
//
// The log records of a store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/text/pattern.h"
#include "model/log.h"
#include "store/matcher.h"
#include "store/read_query.h"

namespace flarestack::store {

struct LogQuery {
  std::vector<Matcher> matchers;  // on attributes of the resource
  int32_t severity_min = 0;
  std::string trace_id;   // 16 bytes
  std::string span_id;    // 8 bytes
  std::string body_part;  // anywhere in the body
  std::optional<base::Pattern> body_pattern;
  TimeRange range;
  size_t limit = 1000;
  TimeOrder order = TimeOrder::kOldestFirst;
  std::string after;  // as in SpanQuery
  TryReserve try_reserve = {};
  OnProgress on_progress = {};  // parts are not known
};

struct SelectedLogs : model::LogBatch {
  std::string next;
};

class LogStore {
 public:
  virtual ~LogStore() = default;

  // Returns once the batch is durable. Items must be valid (model/validation/item_check.h).
  // Duplicates are stored once: a record is identified by its content.
  virtual absl::Status AppendLogs(const model::LogBatch& batch) = 0;

  // Returns items ordered by time, except that items of one resource and scope are grouped. Empty
  // if nothing matches. Returns kInvalidArgument if `after` is not a cursor the store
  // returned.
  virtual absl::StatusOr<SelectedLogs> SelectLogs(const LogQuery& query) = 0;
};

}  // namespace flarestack::store
