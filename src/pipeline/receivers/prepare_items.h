// SPDX-License-Identifier: Apache-2.0
//
// Prepares received items for storage: drops invalid ones, and corrects absurd times: a time before
// the year 2000 or more than a day ahead becomes the time of arrival. The original time is kept in
// the attribute flarestack.original_time_unix_nano, except for data points, whose attributes
// identify the series.
#pragma once

#include <cstdint>
#include <span>

#include "model/batch.h"
#include "model/log.h"
#include "model/metric.h"
#include "model/trace.h"
#include "model/validation/item_check.h"
#include "model/validation/profile_sift.h"
#include "pipeline/receivers/attribute_limits.h"

namespace flarestack::pipeline {

void DropSpans(std::span<const model::RejectedSpan> bad, model::TraceBatch* batch);
void DropPoints(std::span<const model::RejectedPoint> bad, model::MetricBatch* batch);

// Return the number of items whose time was corrected. A span keeps its duration. A log record
// without a time gets its observed time, or the time of arrival; this is not counted.
uint64_t RestampSpans(model::TraceBatch* batch, uint64_t now_nanos);
uint64_t RestampLogs(model::LogBatch* batch, uint64_t now_nanos);
uint64_t RestampPoints(model::MetricBatch* batch, uint64_t now_nanos);

// All steps for profiles: drops invalid samples, repairs text, applies the attribute limits, and
// corrects absurd times.
struct PreparedProfiles {
  model::SiftedProfiles sifted;
  AttributeLosses losses;
  uint64_t restamped = 0;  // times
};

PreparedProfiles PrepareProfiles(const AttributeLimits& limits, uint64_t now_nanos,
                                 model::Batch* batch);

}  // namespace flarestack::pipeline
