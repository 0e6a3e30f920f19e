// SPDX-License-Identifier: Apache-2.0
//
// Stored spans, log records and metric points, one .cc file each: spans.cc, logs.cc, points.cc.
#pragma once

#include "absl/status/statusor.h"
#include "model/log.h"
#include "model/metric.h"
#include "model/trace.h"
#include "store/rocks/database/database.h"
#include "store/rocks/dictionary/interner.h"
#include "store/store.h"

namespace flarestack::store::rocks {

// Spans are stored by their ids, with an index by hour and resource for searches.
absl::Status WriteSpans(const model::TraceBatch& batch, Interner* interner, Changes* changes);
absl::StatusOr<model::TraceBatch> ReadTrace(const Database& database, const TraceQuery& query);
absl::StatusOr<SelectedSpans> ReadSpans(const Database& database, const SpanQuery& query);

// Check a stored entry of the two families. Return kDataLoss if WriteSpans cannot have written it.
absl::Status CheckSpanEntry(std::string_view key, std::string_view value);
absl::Status CheckSpanIndexEntry(std::string_view key, std::string_view value);

// Log records are stored by hour and resource, and by the span they belong to.
absl::Status WriteLogs(const model::LogBatch& batch, Interner* interner, Changes* changes);
absl::StatusOr<SelectedLogs> ReadLogs(const Database& database, const LogQuery& query);

// Check a stored entry of the two families. Return kDataLoss if WriteLogs cannot have written it.
absl::Status CheckLogEntry(std::string_view key, std::string_view value);
absl::Status CheckLogTraceEntry(std::string_view key);

// Metric points: a series is a metric of one resource and scope with the attributes of its points,
// and has a number. Its points are stored under that number by time. Returns how many points were
// rejected because they belong to new series beyond `series_max`.
absl::StatusOr<uint64_t> WritePoints(const model::MetricBatch& batch, uint64_t series_max,
                                     Interner* interner, Changes* changes);
absl::StatusOr<model::MetricBatch> ReadPoints(const Database& database, const MetricQuery& query);
absl::StatusOr<std::vector<MetricSeries>> ReadMetricSeries(const Database& database,
                                                           const MetricQuery& query);

// Check a stored entry. The kind of a series determines how to decode its points. Return kDataLoss
// if WritePoints cannot have written the entry.
absl::StatusOr<model::MetricKind> CheckMetricEntry(std::string_view value);
absl::Status CheckPointEntry(model::MetricKind kind, std::string_view key, std::string_view value);

}  // namespace flarestack::store::rocks
