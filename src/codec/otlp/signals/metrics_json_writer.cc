// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "codec/otlp/signals/signal_json.h"
#include "codec/otlp/signals/signals_json.h"

namespace flarestack::codec::otlp {
namespace {

using model::In;
using model::Metric;
using model::MetricKind;
using model::NumberValue;

constexpr SignalNames kNames = {
    .resources = "resourceMetrics", .scopes = "scopeMetrics", .items = "metrics"};

class MetricWriter : public SignalJsonWriter {
 public:
  MetricWriter(const model::MetricBatch& batch, WriteBytes write)
      : SignalJsonWriter(batch, kNames, write), batch_(batch) {}

 private:
  void WriteItem(uint32_t index) final;
  void WriteData(const Metric& metric);
  void WriteMembers(const model::NumberPoint& point);
  void WriteMembers(const model::HistogramPoint& point);
  void WriteMembers(const model::ExponentialHistogramPoint& point);
  void WriteMembers(const model::SummaryPoint& point);
  void WriteTimes(const model::Point& point);
  void WriteBuckets(std::string_view name,
                    const model::ExponentialHistogramPoint::Buckets& buckets);
  void WriteExemplars(model::Slice exemplars);
  void WriteValue(const NumberValue& value);
  void WriteCounts(model::Slice counts);

  template <typename Point>
  void WritePoints(std::span<const Point> points) {
    WriteList("dataPoints", points, [this](const Point& point) {
      out_.BeginObject();
      WriteMembers(point);
      out_.EndObject();
    });
  }
  void OptionalField(std::string_view name, const std::optional<double>& number) {
    if (number.has_value()) {
      out_.Name(name);
      out_.Double(*number);
    }
  }

  const model::MetricBatch& batch_;
};

void MetricWriter::WriteItem(uint32_t index) {
  const Metric& metric = batch_.metrics[index];
  out_.StringField("name", metric.name);
  out_.StringField("description", metric.description);
  out_.StringField("unit", metric.unit);
  WriteData(metric);
  WriteAttributes("metadata", metric.metadata);
}

// A member of a oneof has presence: it is written even if it is empty.
void MetricWriter::WriteData(const Metric& metric) {
  const auto open = [this](std::string_view name) {
    out_.Name(name);
    out_.BeginObject();
  };
  switch (metric.kind) {
    case MetricKind::kNone:
      return;
    case MetricKind::kGauge:
      open("gauge");
      WritePoints(In(batch_.number_points, metric.points));
      break;
    case MetricKind::kSum:
      open("sum");
      WritePoints(In(batch_.number_points, metric.points));
      break;
    case MetricKind::kHistogram:
      open("histogram");
      WritePoints(In(batch_.histogram_points, metric.points));
      break;
    case MetricKind::kExponentialHistogram:
      open("exponentialHistogram");
      WritePoints(In(batch_.exponential_histogram_points, metric.points));
      break;
    case MetricKind::kSummary:
      open("summary");
      WritePoints(In(batch_.summary_points, metric.points));
      break;
  }
  EnumField("aggregationTemporality", metric.temporality);
  if (metric.is_monotonic) {
    out_.Name("isMonotonic");
    out_.Bool(true);
  }
  out_.EndObject();
}

void MetricWriter::WriteTimes(const model::Point& point) {
  out_.IntegerField("startTimeUnixNano", point.start_time_unix_nano);
  out_.IntegerField("timeUnixNano", point.time_unix_nano);
}

void MetricWriter::WriteMembers(const model::NumberPoint& point) {
  WriteTimes(point);
  WriteValue(point.value);
  WriteExemplars(point.exemplars);
  WriteAttributes("attributes", point.attributes);
  out_.NumberField("flags", point.flags);
}

void MetricWriter::WriteMembers(const model::HistogramPoint& point) {
  WriteTimes(point);
  out_.IntegerField("count", point.count);
  OptionalField("sum", point.sum);
  WriteCounts(point.bucket_counts);
  WriteList("explicitBounds", In(batch_.bounds, point.explicit_bounds),
            [this](double bound) { out_.Double(bound); });
  WriteExemplars(point.exemplars);
  WriteAttributes("attributes", point.attributes);
  out_.NumberField("flags", point.flags);
  OptionalField("min", point.min);
  OptionalField("max", point.max);
}

void MetricWriter::WriteMembers(const model::ExponentialHistogramPoint& point) {
  WriteAttributes("attributes", point.attributes);
  WriteTimes(point);
  out_.IntegerField("count", point.count);
  OptionalField("sum", point.sum);
  out_.SignedNumberField("scale", point.scale);
  out_.IntegerField("zeroCount", point.zero_count);
  WriteBuckets("positive", point.positive);
  WriteBuckets("negative", point.negative);
  out_.NumberField("flags", point.flags);
  WriteExemplars(point.exemplars);
  OptionalField("min", point.min);
  OptionalField("max", point.max);
  out_.DoubleField("zeroThreshold", point.zero_threshold);
}

void MetricWriter::WriteMembers(const model::SummaryPoint& point) {
  WriteTimes(point);
  out_.IntegerField("count", point.count);
  out_.DoubleField("sum", point.sum);
  WriteList("quantileValues", In(batch_.quantile_values, point.quantile_values),
            [this](const model::ValueAtQuantile& value) {
              out_.BeginObject();
              out_.DoubleField("quantile", value.quantile);
              out_.DoubleField("value", value.value);
              out_.EndObject();
            });
  WriteAttributes("attributes", point.attributes);
  out_.NumberField("flags", point.flags);
}

void MetricWriter::WriteBuckets(std::string_view name,
                                const model::ExponentialHistogramPoint::Buckets& buckets) {
  if (buckets.offset == 0 && buckets.bucket_counts.empty())
    return;
  out_.Name(name);
  out_.BeginObject();
  out_.SignedNumberField("offset", buckets.offset);
  WriteCounts(buckets.bucket_counts);
  out_.EndObject();
}

void MetricWriter::WriteCounts(model::Slice counts) {
  WriteList("bucketCounts", In(batch_.bucket_counts, counts),
            [this](uint64_t count) { out_.Integer(count); });
}

void MetricWriter::WriteExemplars(model::Slice exemplars) {
  WriteList("exemplars", In(batch_.exemplars, exemplars), [this](const model::Exemplar& exemplar) {
    out_.BeginObject();
    out_.IntegerField("timeUnixNano", exemplar.time_unix_nano);
    WriteValue(exemplar.value);
    out_.HexField("spanId", exemplar.span_id);
    out_.HexField("traceId", exemplar.trace_id);
    WriteAttributes("filteredAttributes", exemplar.filtered_attributes);
    out_.EndObject();
  });
}

void MetricWriter::WriteValue(const NumberValue& value) {
  if (value.kind == NumberValue::Kind::kDouble) {
    out_.Name("asDouble");
    out_.Double(value.as_double);
  } else if (value.kind == NumberValue::Kind::kInt) {
    out_.Name("asInt");
    out_.Integer(value.as_int);
  }
}

}  // namespace

absl::Status EncodeMetricsJson(const model::MetricBatch& batch, WriteBytes write) {
  return MetricWriter(batch, write).Write();
}

}  // namespace flarestack::codec::otlp
