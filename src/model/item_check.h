// SPDX-License-Identifier: Apache-2.0
//
// The gate for traces, logs and metrics from outside. OTLP wants bad items turned away one by one
// and the rest of the message taken: these functions say which items to turn away and why, and
// repair what can be repaired. Whatever is not in the list may be stored.
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
  kTooManyAttributes,  // of a point, whose attributes cannot be dropped
  kAttributeTooLong,
};

// A short name that does not change ("invalid_trace_id"), and a sentence for people.
std::string_view FaultId(ItemFault fault);
std::string_view FaultText(ItemFault fault);

struct RejectedSpan {
  uint32_t span = 0;  // in TraceBatch::spans
  ItemFault fault;    // the first that was found
};

struct RejectedPoint {
  uint32_t metric = 0;  // in MetricBatch::metrics
  uint32_t point = 0;   // in the pool of points that the metric's kind names
  ItemFault fault;
};

// Ascending; only what a scope or a metric holds is looked at. A span is bad with an invalid trace
// or span id, or when it ends before it starts.
std::vector<RejectedSpan> FindBadSpans(const TraceBatch& batch);

// A point is bad without time; without value, unless its flags say so; with buckets that do not fit
// the bounds; with bounds that do not increase; or in a metric that needs a temporality and has
// none.
std::vector<RejectedPoint> FindBadPoints(const MetricBatch& batch);

// "3 of 10 spans rejected: invalid_trace_id (trace_id is not 16 bytes or is all zero) 2, ..." for
// the error_message of a partial success. Empty when there are none. See CountPoints for the
// second.
std::string ExplainRejected(std::span<const RejectedSpan> rejected, size_t span_count);
std::string ExplainRejected(std::span<const RejectedPoint> rejected, size_t point_count);

// No log record is bad. An id that is not valid means that the record belongs to no span: it is
// emptied. Answers how many were of a wrong length; zeros of the right length are how some senders
// say "none", and are not counted.
uint64_t RepairIds(LogBatch* batch, base::Warnings* warnings);

// Replaces invalid UTF-8 by U+FFFD and answers in how many texts; see model/text_repair.h.
uint64_t RepairText(TraceBatch* batch, base::Warnings* warnings);
uint64_t RepairText(LogBatch* batch, base::Warnings* warnings);
uint64_t RepairText(MetricBatch* batch, base::Warnings* warnings);

}  // namespace flarestack::model
