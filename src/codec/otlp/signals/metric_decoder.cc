// SPDX-License-Identifier: Apache-2.0
//
// Decodes metrics, their number and summary data points, and exemplars. Histograms are in
// metric_decoder_histograms.cc.
//
// Nothing is decoded inside a data point except its exemplars, buckets and attributes, so repeated
// fields there end up contiguous in their pool. The buckets of an exponential histogram are the
// exception: its two lists share a pool.
#include "codec/otlp/signals/metric_decoder.h"

namespace flarestack::codec::otlp {

using model::Metric;
using model::MetricKind;
using wire::kBytes;
using wire::kFixed64;
using wire::kVarint;
using wire::Reader;
using wire::Tag;

void MetricDecoder::DecodeItem(std::string_view bytes) {
  if (!HasRoom(batch_.metrics, "metrics"))
    return;
  Metric metric;
  metric.metadata = DecodeAttributes(bytes, 12);
  for (Reader in(bytes, &state_.fault); in.Next();) {
    switch (in.tag()) {
      case Tag(1, kBytes):
        metric.name = in.Bytes();
        break;
      case Tag(2, kBytes):
        metric.description = in.Bytes();
        break;
      case Tag(3, kBytes):
        metric.unit = in.Bytes();
        break;
      case Tag(5, kBytes):
        DecodeData(in.Bytes(), MetricKind::kGauge, &metric);
        break;
      case Tag(7, kBytes):
        DecodeData(in.Bytes(), MetricKind::kSum, &metric);
        break;
      case Tag(9, kBytes):
        DecodeData(in.Bytes(), MetricKind::kHistogram, &metric);
        break;
      case Tag(10, kBytes):
        DecodeData(in.Bytes(), MetricKind::kExponentialHistogram, &metric);
        break;
      case Tag(11, kBytes):
        DecodeData(in.Bytes(), MetricKind::kSummary, &metric);
        break;
      default:
        in.Skip();
    }
  }
  batch_.metrics.push_back(metric);
}

// A oneof: a different kind replaces the previous one, the same kind is continued.
void MetricDecoder::DecodeData(std::string_view bytes, MetricKind kind, Metric* metric) {
  if (metric->kind != kind) {
    metric->kind = kind;
    metric->temporality = model::Temporality::kUnspecified;
    metric->is_monotonic = false;
    metric->points.begin = PointCount(kind);
  }
  const bool has_temporality = kind != MetricKind::kGauge && kind != MetricKind::kSummary;
  for (Reader in(bytes, &state_.fault); in.Next();) {
    if (in.tag() == Tag(1, kBytes)) {
      DecodePoint(in.Bytes(), kind);
    } else if (in.tag() == Tag(2, kVarint) && has_temporality) {
      metric->temporality = static_cast<model::Temporality>(in.Varint());
    } else if (in.tag() == Tag(3, kVarint) && kind == MetricKind::kSum) {
      metric->is_monotonic = in.Bool();
    } else {
      in.Skip();
    }
  }
  metric->points.count = PointCount(kind) - metric->points.begin;
}

void MetricDecoder::DecodePoint(std::string_view bytes, MetricKind kind) {
  switch (kind) {
    case MetricKind::kNone:
      break;
    case MetricKind::kGauge:
    case MetricKind::kSum:
      DecodeNumberPoint(bytes);
      break;
    case MetricKind::kHistogram:
      DecodeHistogramPoint(bytes);
      break;
    case MetricKind::kExponentialHistogram:
      DecodeExponentialHistogramPoint(bytes);
      break;
    case MetricKind::kSummary:
      DecodeSummaryPoint(bytes);
      break;
  }
}

uint32_t MetricDecoder::PointCount(MetricKind kind) const {
  switch (kind) {
    case MetricKind::kNone:
      break;
    case MetricKind::kGauge:
    case MetricKind::kSum:
      return SizeOf(batch_.number_points);
    case MetricKind::kHistogram:
      return SizeOf(batch_.histogram_points);
    case MetricKind::kExponentialHistogram:
      return SizeOf(batch_.exponential_histogram_points);
    case MetricKind::kSummary:
      return SizeOf(batch_.summary_points);
  }
  return 0;
}

void MetricDecoder::DecodeNumberPoint(std::string_view bytes) {
  if (!HasRoom(batch_.number_points, "number data points"))
    return;
  model::NumberPoint point;
  point.attributes = DecodeAttributes(bytes, 7);
  const uint32_t exemplars_begin = SizeOf(batch_.exemplars);
  for (Reader in(bytes, &state_.fault); in.Next();) {
    switch (in.tag()) {
      case Tag(2, kFixed64):
        point.start_time_unix_nano = in.Fixed64();
        break;
      case Tag(3, kFixed64):
        point.time_unix_nano = in.Fixed64();
        break;
      case Tag(4, kFixed64):
        point.value = model::NumberValue::Double(in.Double());
        break;
      case Tag(5, kBytes):
        DecodeExemplar(in.Bytes());
        break;
      case Tag(6, kFixed64):
        point.value = model::NumberValue::Int(static_cast<int64_t>(in.Fixed64()));
        break;
      case Tag(8, kVarint):
        point.flags = static_cast<uint32_t>(in.Varint());
        break;
      default:
        in.Skip();
    }
  }
  point.exemplars = SliceFrom(exemplars_begin, batch_.exemplars);
  batch_.number_points.push_back(point);
}

void MetricDecoder::DecodeSummaryPoint(std::string_view bytes) {
  if (!HasRoom(batch_.summary_points, "summary data points"))
    return;
  model::SummaryPoint point;
  point.attributes = DecodeAttributes(bytes, 7);
  const uint32_t quantiles_begin = SizeOf(batch_.quantile_values);
  for (Reader in(bytes, &state_.fault); in.Next();) {
    switch (in.tag()) {
      case Tag(2, kFixed64):
        point.start_time_unix_nano = in.Fixed64();
        break;
      case Tag(3, kFixed64):
        point.time_unix_nano = in.Fixed64();
        break;
      case Tag(4, kFixed64):
        point.count = in.Fixed64();
        break;
      case Tag(5, kFixed64):
        point.sum = in.Double();
        break;
      case Tag(6, kBytes):
        DecodeQuantile(in.Bytes());
        break;
      case Tag(8, kVarint):
        point.flags = static_cast<uint32_t>(in.Varint());
        break;
      default:
        in.Skip();
    }
  }
  point.quantile_values = SliceFrom(quantiles_begin, batch_.quantile_values);
  batch_.summary_points.push_back(point);
}

void MetricDecoder::DecodeQuantile(std::string_view bytes) {
  if (!HasRoom(batch_.quantile_values, "quantile values"))
    return;
  model::ValueAtQuantile value;
  for (Reader in(bytes, &state_.fault); in.Next();) {
    switch (in.tag()) {
      case Tag(1, kFixed64):
        value.quantile = in.Double();
        break;
      case Tag(2, kFixed64):
        value.value = in.Double();
        break;
      default:
        in.Skip();
    }
  }
  batch_.quantile_values.push_back(value);
}

void MetricDecoder::DecodeExemplar(std::string_view bytes) {
  if (!HasRoom(batch_.exemplars, "exemplars"))
    return;
  model::Exemplar exemplar;
  exemplar.filtered_attributes = DecodeAttributes(bytes, 7);
  for (Reader in(bytes, &state_.fault); in.Next();) {
    switch (in.tag()) {
      case Tag(2, kFixed64):
        exemplar.time_unix_nano = in.Fixed64();
        break;
      case Tag(3, kFixed64):
        exemplar.value = model::NumberValue::Double(in.Double());
        break;
      case Tag(4, kBytes):
        exemplar.span_id = in.Bytes();
        break;
      case Tag(5, kBytes):
        exemplar.trace_id = in.Bytes();
        break;
      case Tag(6, kFixed64):
        exemplar.value = model::NumberValue::Int(static_cast<int64_t>(in.Fixed64()));
        break;
      default:
        in.Skip();
    }
  }
  batch_.exemplars.push_back(exemplar);
}

}  // namespace flarestack::codec::otlp
