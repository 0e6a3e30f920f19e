// SPDX-License-Identifier: Apache-2.0
//
// Takes bad spans and points out of their batches, and moves absurd times: before the year 2000 or
// more than a day ahead they become the time of arrival. What was sent stays as the attribute
// flarestack.original_time_unix_nano, except with points: their attributes name the series.
#pragma once

#include <cstdint>
#include <span>

#include "model/item_check.h"
#include "model/log.h"
#include "model/metric.h"
#include "model/trace.h"

namespace flarestack::pipeline {

void DropSpans(std::span<const model::RejectedSpan> bad, model::TraceBatch* batch);
void DropPoints(std::span<const model::RejectedPoint> bad, model::MetricBatch* batch);

// Answer how many items were moved. A span keeps its duration. A log record without time takes the
// one it was observed at, which is not counted.
uint64_t RestampSpans(model::TraceBatch* batch, uint64_t now_nanos);
uint64_t RestampLogs(model::LogBatch* batch, uint64_t now_nanos);
uint64_t RestampPoints(model::MetricBatch* batch, uint64_t now_nanos);

}  // namespace flarestack::pipeline
