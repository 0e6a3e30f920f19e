// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "base/status.h"
#include "codec/otlp/signals/signal_json.h"
#include "codec/otlp/signals/signals_json.h"

namespace flarestack::codec::otlp {
namespace {

using model::Metric;
using model::MetricKind;
using model::NumberValue;

constexpr SignalNames kNames = {
    .resources = "resourceMetrics", .scopes = "scopeMetrics", .items = "metrics"};

class MetricReader : public SignalJsonReader {
 public:
  MetricReader(std::string_view json, const Limits& limits, model::MetricBatch* batch,
               base::Warnings* warnings)
      : SignalJsonReader(json, kNames, limits, batch, warnings), batch_(*batch) {}

 private:
  uint32_t item_count() const final { return static_cast<uint32_t>(batch_.metrics.size()); }
  absl::Status ReadItem(Value& value) final;
  absl::Status ReadData(Value& value, MetricKind kind, Metric* metric);
  absl::Status ReadPoints(Value& value, Metric* metric);
  absl::Status ReadNumberPoint(Value& value);
  absl::Status ReadHistogramPoint(Value& value);
  absl::Status ReadExponentialHistogramPoint(Value& value);
  absl::Status ReadSummaryPoint(Value& value);
  absl::Status ReadBuckets(Value& value, model::ExponentialHistogramPoint::Buckets* out);
  absl::Status ReadQuantile(Value& value);
  absl::Status ReadExemplar(Value& value);

  absl::Status ReadOptional(Value& value, std::optional<double>* out) {
    return in_.Read(value, &out->emplace());
  }
  absl::Status ReadInt(Value& value, NumberValue* out) {
    *out = NumberValue::Int(0);
    return in_.Read(value, &out->as_int);
  }
  absl::Status ReadDouble(Value& value, NumberValue* out) {
    *out = NumberValue::Double(0);
    return in_.Read(value, &out->as_double);
  }

  model::MetricBatch& batch_;
};

absl::Status MetricReader::ReadItem(Value& value) {
  Metric metric;
  FLARE_RETURN_IF_ERROR(in_.Object(value).Read({
      {"name", [&](Value& member) { return in_.Read(member, &metric.name); }},
      {"description", [&](Value& member) { return in_.Read(member, &metric.description); }},
      {"unit", [&](Value& member) { return in_.Read(member, &metric.unit); }},
      {"gauge", [&](Value& member) { return ReadData(member, MetricKind::kGauge, &metric); }},
      {"sum", [&](Value& member) { return ReadData(member, MetricKind::kSum, &metric); }},
      {"histogram",
       [&](Value& member) { return ReadData(member, MetricKind::kHistogram, &metric); }},
      {"exponentialHistogram",
       [&](Value& member) { return ReadData(member, MetricKind::kExponentialHistogram, &metric); }},
      {"summary", [&](Value& member) { return ReadData(member, MetricKind::kSummary, &metric); }},
      {"metadata", [&](Value& member) { return ReadAttributes(member, &metric.metadata); }},
  }));
  batch_.metrics.push_back(metric);
  return absl::OkStatus();
}

// A oneof: if several members are present, the last one wins. Members that the kind does not have
// are skipped.
absl::Status MetricReader::ReadData(Value& value, MetricKind kind, Metric* metric) {
  metric->kind = kind;
  metric->points = {};
  metric->temporality = model::Temporality::kUnspecified;
  metric->is_monotonic = false;
  const bool has_temporality = kind != MetricKind::kGauge && kind != MetricKind::kSummary;
  return in_.Object(value).Read({
      {"dataPoints", [&](Value& member) { return ReadPoints(member, metric); }},
      {"aggregationTemporality",
       [&](Value& member) {
         return has_temporality ? ReadEnum(member, &metric->temporality) : in_.Skip(member);
       }},
      {"isMonotonic",
       [&](Value& member) {
         return kind == MetricKind::kSum ? in_.Read(member, &metric->is_monotonic)
                                         : in_.Skip(member);
       }},
  });
}

absl::Status MetricReader::ReadPoints(Value& value, Metric* metric) {
  switch (metric->kind) {
    case MetricKind::kNone:
      break;
    case MetricKind::kGauge:
    case MetricKind::kSum:
      return ReadMessages(
          value, batch_.number_points, [&](Value& entry) { return ReadNumberPoint(entry); },
          &metric->points);
    case MetricKind::kHistogram:
      return ReadMessages(
          value, batch_.histogram_points, [&](Value& entry) { return ReadHistogramPoint(entry); },
          &metric->points);
    case MetricKind::kExponentialHistogram:
      return ReadMessages(
          value, batch_.exponential_histogram_points,
          [&](Value& entry) { return ReadExponentialHistogramPoint(entry); }, &metric->points);
    case MetricKind::kSummary:
      return ReadMessages(
          value, batch_.summary_points, [&](Value& entry) { return ReadSummaryPoint(entry); },
          &metric->points);
  }
  return absl::OkStatus();
}

absl::Status MetricReader::ReadNumberPoint(Value& value) {
  model::NumberPoint point;
  FLARE_RETURN_IF_ERROR(in_.Object(value).Read({
      {"startTimeUnixNano",
       [&](Value& member) { return in_.Read(member, &point.start_time_unix_nano); }},
      {"timeUnixNano", [&](Value& member) { return in_.Read(member, &point.time_unix_nano); }},
      {"asDouble", [&](Value& member) { return ReadDouble(member, &point.value); }},
      {"asInt", [&](Value& member) { return ReadInt(member, &point.value); }},
      {"exemplars",
       [&](Value& member) {
         return ReadMessages(
             member, batch_.exemplars, [&](Value& entry) { return ReadExemplar(entry); },
             &point.exemplars);
       }},
      {"attributes", [&](Value& member) { return ReadAttributes(member, &point.attributes); }},
      {"flags", [&](Value& member) { return in_.Read(member, &point.flags); }},
  }));
  batch_.number_points.push_back(point);
  return absl::OkStatus();
}

absl::Status MetricReader::ReadHistogramPoint(Value& value) {
  model::HistogramPoint point;
  FLARE_RETURN_IF_ERROR(in_.Object(value).Read({
      {"startTimeUnixNano",
       [&](Value& member) { return in_.Read(member, &point.start_time_unix_nano); }},
      {"timeUnixNano", [&](Value& member) { return in_.Read(member, &point.time_unix_nano); }},
      {"count", [&](Value& member) { return in_.Read(member, &point.count); }},
      {"sum", [&](Value& member) { return ReadOptional(member, &point.sum); }},
      {"bucketCounts",
       [&](Value& member) {
         return ReadList(member, &batch_.bucket_counts, &point.bucket_counts);
       }},
      {"explicitBounds",
       [&](Value& member) { return ReadList(member, &batch_.bounds, &point.explicit_bounds); }},
      {"exemplars",
       [&](Value& member) {
         return ReadMessages(
             member, batch_.exemplars, [&](Value& entry) { return ReadExemplar(entry); },
             &point.exemplars);
       }},
      {"attributes", [&](Value& member) { return ReadAttributes(member, &point.attributes); }},
      {"flags", [&](Value& member) { return in_.Read(member, &point.flags); }},
      {"min", [&](Value& member) { return ReadOptional(member, &point.min); }},
      {"max", [&](Value& member) { return ReadOptional(member, &point.max); }},
  }));
  batch_.histogram_points.push_back(point);
  return absl::OkStatus();
}

absl::Status MetricReader::ReadExponentialHistogramPoint(Value& value) {
  model::ExponentialHistogramPoint point;
  FLARE_RETURN_IF_ERROR(in_.Object(value).Read({
      {"attributes", [&](Value& member) { return ReadAttributes(member, &point.attributes); }},
      {"startTimeUnixNano",
       [&](Value& member) { return in_.Read(member, &point.start_time_unix_nano); }},
      {"timeUnixNano", [&](Value& member) { return in_.Read(member, &point.time_unix_nano); }},
      {"count", [&](Value& member) { return in_.Read(member, &point.count); }},
      {"sum", [&](Value& member) { return ReadOptional(member, &point.sum); }},
      {"scale", [&](Value& member) { return in_.Read(member, &point.scale); }},
      {"zeroCount", [&](Value& member) { return in_.Read(member, &point.zero_count); }},
      {"positive", [&](Value& member) { return ReadBuckets(member, &point.positive); }},
      {"negative", [&](Value& member) { return ReadBuckets(member, &point.negative); }},
      {"flags", [&](Value& member) { return in_.Read(member, &point.flags); }},
      {"exemplars",
       [&](Value& member) {
         return ReadMessages(
             member, batch_.exemplars, [&](Value& entry) { return ReadExemplar(entry); },
             &point.exemplars);
       }},
      {"min", [&](Value& member) { return ReadOptional(member, &point.min); }},
      {"max", [&](Value& member) { return ReadOptional(member, &point.max); }},
      {"zeroThreshold", [&](Value& member) { return in_.Read(member, &point.zero_threshold); }},
  }));
  batch_.exponential_histogram_points.push_back(point);
  return absl::OkStatus();
}

absl::Status MetricReader::ReadBuckets(Value& value,
                                       model::ExponentialHistogramPoint::Buckets* out) {
  return in_.Object(value).Read({
      {"offset", [&](Value& member) { return in_.Read(member, &out->offset); }},
      {"bucketCounts",
       [&](Value& member) { return ReadList(member, &batch_.bucket_counts, &out->bucket_counts); }},
  });
}

absl::Status MetricReader::ReadSummaryPoint(Value& value) {
  model::SummaryPoint point;
  FLARE_RETURN_IF_ERROR(in_.Object(value).Read({
      {"startTimeUnixNano",
       [&](Value& member) { return in_.Read(member, &point.start_time_unix_nano); }},
      {"timeUnixNano", [&](Value& member) { return in_.Read(member, &point.time_unix_nano); }},
      {"count", [&](Value& member) { return in_.Read(member, &point.count); }},
      {"sum", [&](Value& member) { return in_.Read(member, &point.sum); }},
      {"quantileValues",
       [&](Value& member) {
         return ReadMessages(
             member, batch_.quantile_values, [&](Value& entry) { return ReadQuantile(entry); },
             &point.quantile_values);
       }},
      {"attributes", [&](Value& member) { return ReadAttributes(member, &point.attributes); }},
      {"flags", [&](Value& member) { return in_.Read(member, &point.flags); }},
  }));
  batch_.summary_points.push_back(point);
  return absl::OkStatus();
}

absl::Status MetricReader::ReadQuantile(Value& value) {
  model::ValueAtQuantile quantile;
  FLARE_RETURN_IF_ERROR(in_.Object(value).Read({
      {"quantile", [&](Value& member) { return in_.Read(member, &quantile.quantile); }},
      {"value", [&](Value& member) { return in_.Read(member, &quantile.value); }},
  }));
  batch_.quantile_values.push_back(quantile);
  return absl::OkStatus();
}

absl::Status MetricReader::ReadExemplar(Value& value) {
  model::Exemplar exemplar;
  FLARE_RETURN_IF_ERROR(in_.Object(value).Read({
      {"timeUnixNano", [&](Value& member) { return in_.Read(member, &exemplar.time_unix_nano); }},
      {"asDouble", [&](Value& member) { return ReadDouble(member, &exemplar.value); }},
      {"asInt", [&](Value& member) { return ReadInt(member, &exemplar.value); }},
      {"spanId", [&](Value& member) { return in_.ReadLenientHexId(member, &exemplar.span_id); }},
      {"traceId", [&](Value& member) { return in_.ReadLenientHexId(member, &exemplar.trace_id); }},
      {"filteredAttributes",
       [&](Value& member) { return ReadAttributes(member, &exemplar.filtered_attributes); }},
  }));
  batch_.exemplars.push_back(exemplar);
  return absl::OkStatus();
}

}  // namespace

absl::Status DecodeMetricsJson(std::string_view json, const Limits& limits,
                               model::MetricBatch* batch, base::Warnings* warnings) {
  batch->Clear();
  absl::Status status = MetricReader(json, limits, batch, warnings).Read();
  if (!status.ok())
    batch->Clear();
  return status;
}

}  // namespace flarestack::codec::otlp
