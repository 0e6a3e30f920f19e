// SPDX-License-Identifier: Apache-2.0
#include "model/validation/item_check.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "base/text/text.h"
#include "model/validation/text_repair.h"

namespace flarestack::model {
namespace {

struct FaultWords {
  std::string_view id;
  std::string_view text;
};

// In the order of ItemFault.
constexpr std::array<FaultWords, 11> kFaultWords = {{
    {.id = "invalid_trace_id", .text = "trace_id is not 16 bytes or is all zero"},
    {.id = "invalid_span_id", .text = "span_id is not 8 bytes or is all zero"},
    {.id = "end_before_start", .text = "end_time_unix_nano is before start_time_unix_nano"},
    {.id = "no_time", .text = "time_unix_nano is 0"},
    {.id = "no_value", .text = "neither as_int nor as_double is set"},
    {.id = "bucket_count_mismatch",
     .text = "bucket_counts must have one element more than explicit_bounds, or both be empty"},
    {.id = "bounds_not_increasing", .text = "explicit_bounds do not increase strictly"},
    {.id = "bucket_index_out_of_range",
     .text = "offset and bucket_counts leave the range of int32"},
    {.id = "no_temporality", .text = "aggregation_temporality is neither delta nor cumulative"},
    {.id = "too_many_attributes",
     .text = "more attributes than the limit, and they identify the series"},
    {.id = "attribute_too_long",
     .text = "an attribute value longer than the limit, and it identifies the series"},
}};

std::optional<ItemFault> FaultOf(const Span& span) {
  if (!IsValidTraceId(span.trace_id))
    return ItemFault::kInvalidTraceId;
  if (!IsValidSpanId(span.span_id))
    return ItemFault::kInvalidSpanId;
  if (span.end_time_unix_nano < span.start_time_unix_nano)
    return ItemFault::kEndBeforeStart;
  return std::nullopt;
}

bool HasValue(const Point& point, const NumberValue& value) {
  return value.kind != NumberValue::Kind::kNone || (point.flags & kNoRecordedValue) != 0;
}

bool AreIncreasing(std::span<const double> bounds) {
  for (size_t i = 0; i < bounds.size(); ++i) {
    if (std::isnan(bounds[i]) || (i > 0 && bounds[i] <= bounds[i - 1]))
      return false;
  }
  return true;
}

bool IsInRange(const ExponentialHistogramPoint::Buckets& buckets) {
  return int64_t{buckets.offset} + buckets.bucket_counts.count <=
         std::numeric_limits<int32_t>::max();
}

class PointCheck {
 public:
  explicit PointCheck(const MetricBatch& batch) : batch_(batch) {}

  std::vector<RejectedPoint> Run() {
    for (const Resource& resource : batch_.resources) {
      for (const ItemScope& scope : In(batch_.scopes, resource.scopes)) {
        for (uint32_t i = scope.items.begin; i < scope.items.end(); ++i)
          CheckItem(i);
      }
    }
    return std::move(rejected_);
  }

 private:
  void CheckItem(uint32_t index) {
    const Metric& metric = batch_.metrics[index];
    switch (metric.kind) {
      case MetricKind::kNone:
        break;
      case MetricKind::kGauge:
      case MetricKind::kSum:
        return CheckAll(index, batch_.number_points);
      case MetricKind::kHistogram:
        return CheckAll(index, batch_.histogram_points);
      case MetricKind::kExponentialHistogram:
        return CheckAll(index, batch_.exponential_histogram_points);
      case MetricKind::kSummary:
        return CheckAll(index, batch_.summary_points);
    }
  }

  template <typename T>
  void CheckAll(uint32_t index, const std::vector<T>& points) {
    const Metric& metric = batch_.metrics[index];
    const bool needs_temporality =
        metric.kind != MetricKind::kGauge && metric.kind != MetricKind::kSummary;
    const bool lacks_temporality = needs_temporality && metric.temporality != Temporality::kDelta &&
                                   metric.temporality != Temporality::kCumulative;
    for (uint32_t i = metric.points.begin; i < metric.points.end(); ++i) {
      std::optional<ItemFault> fault = FaultOf(points[i]);
      if (points[i].time_unix_nano == 0)
        fault = ItemFault::kNoTime;
      if (lacks_temporality)
        fault = ItemFault::kNoTemporality;
      if (fault.has_value())
        rejected_.push_back({.metric = index, .point = i, .fault = *fault});
    }
  }

  static std::optional<ItemFault> FaultOf(const NumberPoint& point) {
    if (!HasValue(point, point.value))
      return ItemFault::kNoValue;
    return std::nullopt;
  }
  std::optional<ItemFault> FaultOf(const HistogramPoint& point) const {
    const bool both_empty = point.bucket_counts.empty() && point.explicit_bounds.empty();
    if (!both_empty && point.bucket_counts.count != point.explicit_bounds.count + 1)
      return ItemFault::kBucketCountMismatch;
    if (!AreIncreasing(In(batch_.bounds, point.explicit_bounds)))
      return ItemFault::kBoundsNotIncreasing;
    return std::nullopt;
  }
  static std::optional<ItemFault> FaultOf(const ExponentialHistogramPoint& point) {
    if (!IsInRange(point.positive) || !IsInRange(point.negative))
      return ItemFault::kBucketIndexOutOfRange;
    return std::nullopt;
  }
  static std::optional<ItemFault> FaultOf(const SummaryPoint&) { return std::nullopt; }

  const MetricBatch& batch_;
  std::vector<RejectedPoint> rejected_;
};

template <typename Rejected>
std::string Explain(std::span<const Rejected> rejected, size_t count, std::string_view items) {
  if (rejected.empty())
    return "";
  std::array<uint64_t, kFaultWords.size()> counts = {};
  for (const Rejected& item : rejected)
    ++counts[static_cast<size_t>(item.fault)];
  std::string text = base::StrCat(rejected.size(), " of ", count, " ", items, " rejected: ");
  std::string_view separator;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0)
      continue;
    base::StrAppend(&text, separator, kFaultWords[i].id, " (", kFaultWords[i].text, ") ",
                    counts[i]);
    separator = ", ";
  }
  return text;
}

// Returns whether the id had a wrong length.
bool RepairId(std::string_view* id, bool is_valid, size_t bytes) {
  if (is_valid || id->empty())
    return false;
  const bool has_wrong_length = id->size() != bytes;
  *id = {};
  return has_wrong_length;
}

void RepairTree(SignalBatch* batch, TextRepair* texts) {
  texts->RepairNodes(&batch->nodes);
  for (Resource& resource : batch->resources)
    texts->Repair(&resource.schema_url, "resource schema_url");
  for (ItemScope& scope : batch->scopes)
    texts->RepairScope(&scope, "scope schema_url");
  texts->RepairEntityRefs(&batch->entity_refs, &batch->entity_keys);
}

}  // namespace

std::string_view FaultId(ItemFault fault) { return kFaultWords[static_cast<size_t>(fault)].id; }
std::string_view FaultText(ItemFault fault) { return kFaultWords[static_cast<size_t>(fault)].text; }

std::vector<RejectedSpan> FindBadSpans(const TraceBatch& batch) {
  std::vector<RejectedSpan> rejected;
  for (const Resource& resource : batch.resources) {
    for (const ItemScope& scope : In(batch.scopes, resource.scopes)) {
      for (uint32_t i = scope.items.begin; i < scope.items.end(); ++i) {
        if (const std::optional<ItemFault> fault = FaultOf(batch.spans[i]))
          rejected.push_back({.span = i, .fault = *fault});
      }
    }
  }
  return rejected;
}

std::vector<RejectedPoint> FindBadPoints(const MetricBatch& batch) {
  return PointCheck(batch).Run();
}

std::string ExplainRejected(std::span<const RejectedSpan> rejected, size_t span_count) {
  return Explain(rejected, span_count, "spans");
}
std::string ExplainRejected(std::span<const RejectedPoint> rejected, size_t point_count) {
  return Explain(rejected, point_count, "data points");
}

uint64_t RepairIds(LogBatch* batch, base::Warnings* warnings) {
  uint64_t count = 0;
  const auto repair = [&](std::string_view* id, bool is_valid, size_t bytes) {
    const std::string_view before = *id;
    if (!RepairId(id, is_valid, bytes))
      return;
    ++count;
    warnings->Add("a log record with an id of the wrong length; stored without the id",
                  base::StrCat(before.size(), " bytes instead of ", bytes));
  };
  for (LogRecord& record : batch->log_records) {
    repair(&record.trace_id, IsValidTraceId(record.trace_id), kTraceIdBytes);
    repair(&record.span_id, IsValidSpanId(record.span_id), kSpanIdBytes);
  }
  return count;
}

uint64_t RepairText(TraceBatch* batch, base::Warnings* warnings) {
  TextRepair texts(&batch->arena, warnings);
  RepairTree(batch, &texts);
  for (Span& span : batch->spans) {
    texts.Repair(&span.name, "span.name");
    texts.Repair(&span.trace_state, "span.trace_state");
    texts.Repair(&span.status_message, "span.status.message");
  }
  for (SpanEvent& event : batch->events)
    texts.Repair(&event.name, "event.name");
  for (SpanLink& link : batch->links)
    texts.Repair(&link.trace_state, "link.trace_state");
  return texts.count();
}

uint64_t RepairText(LogBatch* batch, base::Warnings* warnings) {
  TextRepair texts(&batch->arena, warnings);
  RepairTree(batch, &texts);
  for (LogRecord& record : batch->log_records) {
    texts.Repair(&record.severity_text, "log_record.severity_text");
    texts.Repair(&record.event_name, "log_record.event_name");
    texts.RepairValue(&record.body, "log_record.body");
  }
  return texts.count();
}

uint64_t RepairText(MetricBatch* batch, base::Warnings* warnings) {
  TextRepair texts(&batch->arena, warnings);
  RepairTree(batch, &texts);
  for (Metric& metric : batch->metrics) {
    texts.Repair(&metric.name, "metric.name");
    texts.Repair(&metric.description, "metric.description");
    texts.Repair(&metric.unit, "metric.unit");
  }
  return texts.count();
}

}  // namespace flarestack::model
