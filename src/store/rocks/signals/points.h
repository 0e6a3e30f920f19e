// SPDX-License-Identifier: Apache-2.0
//
// Stored metric points. A series is a metric of one resource and scope with the attributes of its
// points, and has a number. Its points are stored under that number by time.
#pragma once

#include "absl/status/statusor.h"
#include "model/metric.h"
#include "store/rocks/database/database.h"
#include "store/rocks/dictionary/interner.h"
#include "store/store.h"

namespace flarestack::store::rocks {

// Returns how many points were rejected because they belong to new series beyond `series_max`.
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
