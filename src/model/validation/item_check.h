// SPDX-License-Identifier: Apache-2.0
//
// Checks traces, logs and metrics from outside. OTLP requires receivers to reject bad items
// individually and to accept the rest of the message: these functions report which items to reject
// and why, and repair the items that can be repaired. Items that are not reported may be stored.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/warnings.h"
#include "model/log.h"
#include "model/metric.h"
#include "model/trace.h"

namespace flarestack::model {

enum class ItemFault : uint8_t {
  kInvalidTraceId,
  kInvalidSpanId,
  kEndBeforeStart,
  kNoTime,
  kNoValue,
  kBucketCountMismatch,
  kBoundsNotIncreasing,
  kBucketIndexOutOfRange,
  kNoTemporality,
  kTooManyAttributes,  // of a data point, whose attributes cannot be dropped
  kAttributeTooLong,
};

// A stable short name ("invalid_trace_id"), and a sentence for users.
std::string_view FaultId(ItemFault fault);
std::string_view FaultText(ItemFault fault);

struct RejectedSpan {
  uint32_t span = 0;  // in TraceBatch::spans
  ItemFault fault;    // the first fault found
};

struct RejectedPoint {
  uint32_t metric = 0;  // in MetricBatch::metrics
  uint32_t point = 0;   // in the pool of data points that the metric's kind selects
  ItemFault fault;
};

// In ascending order; checks only items that belong to a scope or a metric. A span is bad if its
// trace or span id is invalid, or if it ends before it starts.
std::vector<RejectedSpan> FindBadSpans(const TraceBatch& batch);

// A data point is bad if it has no time, has neither a value nor the no-recorded-value flag, has
// buckets that do not match the bounds or bounds that do not increase, or if its metric needs a
// temporality and has none.
std::vector<RejectedPoint> FindBadPoints(const MetricBatch& batch);

// "3 of 10 spans rejected: invalid_trace_id (trace_id is not 16 bytes or is all zero) 2, ..." for
// the error_message of a partial success. Empty if nothing was rejected. See CountPoints for
// `point_count`.
std::string ExplainRejected(std::span<const RejectedSpan> rejected, size_t span_count);
std::string ExplainRejected(std::span<const RejectedPoint> rejected, size_t point_count);

// Log records are never rejected. An invalid id means that the record belongs to no span, so it is
// cleared. Returns the number of ids with a wrong length. Some senders write zeros of the right
// length for "none"; those are not counted.
uint64_t RepairIds(LogBatch* batch, base::Warnings* warnings);

// Replaces invalid UTF-8 with U+FFFD and returns the number of repaired texts; see
// model/validation/text_repair.h.
uint64_t RepairText(TraceBatch* batch, base::Warnings* warnings);
uint64_t RepairText(LogBatch* batch, base::Warnings* warnings);
uint64_t RepairText(MetricBatch* batch, base::Warnings* warnings);

}  // namespace flarestack::model
