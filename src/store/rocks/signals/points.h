// SPDX-License-Identifier: Apache-2.0
//
// Stored metric points: a series is a metric of one resource and scope with the attributes of its
// points, and has a number; a point stands under it by time.
#pragma once

#include "absl/status/statusor.h"
#include "model/metric.h"
#include "store/rocks/database/database.h"
#include "store/rocks/dictionary/interner.h"
#include "store/store.h"

namespace flarestack::store::rocks {

// Answers how many points were left out because they are of new series, and there are `series_max`.
absl::StatusOr<uint64_t> WritePoints(const model::MetricBatch& batch, uint64_t series_max,
                                     Interner* interner, Changes* changes);
absl::StatusOr<model::MetricBatch> ReadPoints(const Database& database, const MetricQuery& query);
absl::StatusOr<std::vector<MetricSeries>> ReadMetricSeries(const Database& database,
                                                           const MetricQuery& query);

// An entry as it stands. The kind of a series tells how its points are to be decoded; kDataLoss
// when it is none that WritePoints makes.
absl::StatusOr<model::MetricKind> CheckMetricEntry(std::string_view value);
absl::Status CheckPointEntry(model::MetricKind kind, std::string_view key, std::string_view value);

}  // namespace flarestack::store::rocks
