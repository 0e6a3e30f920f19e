// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/signals/metrics_protobuf.h"

#include <optional>
#include <span>

#include "codec/otlp/signals/metric_decoder.h"
#include "codec/otlp/signals/signal_protobuf.h"

namespace flarestack::codec::otlp {
namespace {

using model::In;
using model::Metric;
using model::MetricKind;
using model::Slice;

// Read each function from bottom to top: fields are written from last to first.
class MetricEncoder : public SignalEncoder {
 public:
  MetricEncoder(const model::MetricBatch& batch, wire::ReverseWriter* out)
      : SignalEncoder(batch, out), batch_(batch) {}

  enum class Points { kWritten, kOmitted };

  void Fields(const Metric& metric, Points points) {
    values().KeyValues(12, metric.metadata);
    Data(metric, points == Points::kWritten ? metric.points : Slice{});
    out_.BytesUnlessEmpty(3, metric.unit);
    out_.BytesUnlessEmpty(2, metric.description);
    out_.BytesUnlessEmpty(1, metric.name);
  }

  void Fields(const model::NumberPoint& point) {
    out_.VarintUnlessZero(8, point.flags);
    values().KeyValues(7, point.attributes);
    if (point.value.kind == model::NumberValue::Kind::kInt)
      out_.Fixed64(6, static_cast<uint64_t>(point.value.as_int));
    Exemplars(5, point.exemplars);
    if (point.value.kind == model::NumberValue::Kind::kDouble)
      out_.Double(4, point.value.as_double);
    out_.Fixed64UnlessZero(3, point.time_unix_nano);
    out_.Fixed64UnlessZero(2, point.start_time_unix_nano);
  }

  void Fields(const model::HistogramPoint& point) {
    OptionalDouble(12, point.max);
    OptionalDouble(11, point.min);
    out_.VarintUnlessZero(10, point.flags);
    values().KeyValues(9, point.attributes);
    Exemplars(8, point.exemplars);
    out_.PackedFixed64(7, In(batch_.bounds, point.explicit_bounds));
    out_.PackedFixed64(6, In(batch_.bucket_counts, point.bucket_counts));
    OptionalDouble(5, point.sum);
    out_.Fixed64UnlessZero(4, point.count);
    out_.Fixed64UnlessZero(3, point.time_unix_nano);
    out_.Fixed64UnlessZero(2, point.start_time_unix_nano);
  }

  void Fields(const model::ExponentialHistogramPoint& point) {
    out_.DoubleUnlessZero(14, point.zero_threshold);
    OptionalDouble(13, point.max);
    OptionalDouble(12, point.min);
    Exemplars(11, point.exemplars);
    out_.VarintUnlessZero(10, point.flags);
    Buckets(9, point.negative);
    Buckets(8, point.positive);
    out_.Fixed64UnlessZero(7, point.zero_count);
    out_.Sint32UnlessZero(6, point.scale);
    OptionalDouble(5, point.sum);
    out_.Fixed64UnlessZero(4, point.count);
    out_.Fixed64UnlessZero(3, point.time_unix_nano);
    out_.Fixed64UnlessZero(2, point.start_time_unix_nano);
    values().KeyValues(1, point.attributes);
  }

  void Fields(const model::SummaryPoint& point) {
    out_.VarintUnlessZero(8, point.flags);
    values().KeyValues(7, point.attributes);
    for (uint32_t i = point.quantile_values.count; i-- > 0;)
      Quantile(6, batch_.quantile_values[point.quantile_values.begin + i]);
    out_.DoubleUnlessZero(5, point.sum);
    out_.Fixed64UnlessZero(4, point.count);
    out_.Fixed64UnlessZero(3, point.time_unix_nano);
    out_.Fixed64UnlessZero(2, point.start_time_unix_nano);
  }

 private:
  void Item(uint32_t index) final { Fields(batch_.metrics[index], Points::kWritten); }

  // A member of a oneof has presence: it is written even if it is empty.
  void Data(const Metric& metric, Slice points) {
    const size_t end = out_.size();
    switch (metric.kind) {
      case MetricKind::kNone:
        return;
      case MetricKind::kGauge:
        PointList(In(batch_.number_points, points));
        out_.CloseMessage(5, end);
        break;
      case MetricKind::kSum:
        out_.VarintUnlessZero(3, metric.is_monotonic ? 1 : 0);
        out_.EnumUnlessZero(2, metric.temporality);
        PointList(In(batch_.number_points, points));
        out_.CloseMessage(7, end);
        break;
      case MetricKind::kHistogram:
        out_.EnumUnlessZero(2, metric.temporality);
        PointList(In(batch_.histogram_points, points));
        out_.CloseMessage(9, end);
        break;
      case MetricKind::kExponentialHistogram:
        out_.EnumUnlessZero(2, metric.temporality);
        PointList(In(batch_.exponential_histogram_points, points));
        out_.CloseMessage(10, end);
        break;
      case MetricKind::kSummary:
        PointList(In(batch_.summary_points, points));
        out_.CloseMessage(11, end);
        break;
    }
  }

  template <typename Point>
  void PointList(std::span<const Point> points) {
    for (size_t i = points.size(); i-- > 0;) {
      const size_t end = out_.size();
      Fields(points[i]);
      out_.CloseMessage(1, end);
    }
  }

  void OptionalDouble(uint32_t field, const std::optional<double>& number) {
    if (number.has_value())
      out_.Double(field, *number);
  }

  void Buckets(uint32_t field, const model::ExponentialHistogramPoint::Buckets& buckets) {
    if (buckets.offset == 0 && buckets.bucket_counts.empty())
      return;
    const size_t end = out_.size();
    out_.Packed(2, In(batch_.bucket_counts, buckets.bucket_counts),
                [](uint64_t count) { return count; });
    out_.Sint32UnlessZero(1, buckets.offset);
    out_.CloseMessage(field, end);
  }

  void Quantile(uint32_t field, const model::ValueAtQuantile& value) {
    const size_t end = out_.size();
    out_.DoubleUnlessZero(2, value.value);
    out_.DoubleUnlessZero(1, value.quantile);
    out_.CloseMessage(field, end);
  }

  void Exemplars(uint32_t field, Slice exemplars) {
    for (uint32_t i = exemplars.count; i-- > 0;) {
      const model::Exemplar& exemplar = batch_.exemplars[exemplars.begin + i];
      const size_t end = out_.size();
      values().KeyValues(7, exemplar.filtered_attributes);
      if (exemplar.value.kind == model::NumberValue::Kind::kInt)
        out_.Fixed64(6, static_cast<uint64_t>(exemplar.value.as_int));
      out_.BytesUnlessEmpty(5, exemplar.trace_id);
      out_.BytesUnlessEmpty(4, exemplar.span_id);
      if (exemplar.value.kind == model::NumberValue::Kind::kDouble)
        out_.Double(3, exemplar.value.as_double);
      out_.Fixed64UnlessZero(2, exemplar.time_unix_nano);
      out_.CloseMessage(field, end);
    }
  }

  const model::MetricBatch& batch_;
};

// Appends one message to `pool`, which is unchanged after an error.
template <typename T>
absl::Status DecodeOne(std::string_view bytes, std::string_view what, const Limits& limits,
                       std::pair<model::MetricBatch*, std::vector<T> model::MetricBatch::*> pool,
                       void (MetricDecoder::*decode)(std::string_view)) {
  auto [batch, member] = pool;
  const size_t count = (batch->*member).size();
  MetricDecoder decoder(limits, batch);
  (decoder.*decode)(bytes);
  absl::Status status = decoder.ToStatus(bytes, what);
  if (!status.ok())
    (batch->*member).resize(count);
  return status;
}

}  // namespace

absl::Status DecodeMetrics(std::string_view bytes, const Limits& limits,
                           model::MetricBatch* batch) {
  batch->Clear();
  MetricDecoder decoder(limits, batch);
  decoder.DecodeRequest(bytes);
  absl::Status status = decoder.ToStatus(bytes, "metrics");
  if (!status.ok())
    batch->Clear();
  return status;
}

void EncodeMetrics(const model::MetricBatch& batch, wire::ReverseWriter* out) {
  MetricEncoder(batch, out).Request();
}

void EncodeMetricHead(const model::MetricBatch& batch, const Metric& metric,
                      wire::ReverseWriter* out) {
  MetricEncoder(batch, out).Fields(metric, MetricEncoder::Points::kOmitted);
}

void EncodePoint(const model::MetricBatch& batch, const model::NumberPoint& point,
                 wire::ReverseWriter* out) {
  MetricEncoder(batch, out).Fields(point);
}
void EncodePoint(const model::MetricBatch& batch, const model::HistogramPoint& point,
                 wire::ReverseWriter* out) {
  MetricEncoder(batch, out).Fields(point);
}
void EncodePoint(const model::MetricBatch& batch, const model::ExponentialHistogramPoint& point,
                 wire::ReverseWriter* out) {
  MetricEncoder(batch, out).Fields(point);
}
void EncodePoint(const model::MetricBatch& batch, const model::SummaryPoint& point,
                 wire::ReverseWriter* out) {
  MetricEncoder(batch, out).Fields(point);
}

absl::Status DecodeMetric(std::string_view bytes, const Limits& limits, model::MetricBatch* batch) {
  return DecodeOne<Metric>(bytes, "Metric", limits, {batch, &model::MetricBatch::metrics},
                           &MetricDecoder::DecodeItem);
}
absl::Status DecodeNumberPoint(std::string_view bytes, const Limits& limits,
                               model::MetricBatch* batch) {
  return DecodeOne<model::NumberPoint>(bytes, "NumberDataPoint", limits,
                                       {batch, &model::MetricBatch::number_points},
                                       &MetricDecoder::DecodeNumberPoint);
}
absl::Status DecodeHistogramPoint(std::string_view bytes, const Limits& limits,
                                  model::MetricBatch* batch) {
  return DecodeOne<model::HistogramPoint>(bytes, "HistogramDataPoint", limits,
                                          {batch, &model::MetricBatch::histogram_points},
                                          &MetricDecoder::DecodeHistogramPoint);
}
absl::Status DecodeExponentialHistogramPoint(std::string_view bytes, const Limits& limits,
                                             model::MetricBatch* batch) {
  return DecodeOne<model::ExponentialHistogramPoint>(
      bytes, "ExponentialHistogramDataPoint", limits,
      {batch, &model::MetricBatch::exponential_histogram_points},
      &MetricDecoder::DecodeExponentialHistogramPoint);
}
absl::Status DecodeSummaryPoint(std::string_view bytes, const Limits& limits,
                                model::MetricBatch* batch) {
  return DecodeOne<model::SummaryPoint>(bytes, "SummaryDataPoint", limits,
                                        {batch, &model::MetricBatch::summary_points},
                                        &MetricDecoder::DecodeSummaryPoint);
}

}  // namespace flarestack::codec::otlp
