// SPDX-License-Identifier: Apache-2.0
//
// Nothing else is decoded inside a point but its own exemplars, buckets and attributes, so what
// repeats there lands side by side in its pool. The buckets of an exponential histogram are the
// exception: its two lists share a pool.
#include "codec/otlp/metrics_decoder.h"

#include "base/status.h"
#include "codec/otlp/metrics_protobuf.h"
#include "codec/wire/packed.h"

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

// A oneof: another kind replaces the one before, the same kind goes on where it ended.
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

void MetricDecoder::DecodeHistogramPoint(std::string_view bytes) {
  if (!HasRoom(batch_.histogram_points, "histogram data points"))
    return;
  model::HistogramPoint point;
  point.attributes = DecodeAttributes(bytes, 9);
  const uint32_t exemplars_begin = SizeOf(batch_.exemplars);
  const uint32_t counts_begin = SizeOf(batch_.bucket_counts);
  const uint32_t bounds_begin = SizeOf(batch_.bounds);
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
        AppendFixed64(in.Bytes(), &batch_.bucket_counts);
        break;
      case Tag(6, kFixed64):
        batch_.bucket_counts.push_back(in.Fixed64());
        break;
      case Tag(7, kBytes):
        AppendFixed64(in.Bytes(), &batch_.bounds);
        break;
      case Tag(7, kFixed64):
        batch_.bounds.push_back(in.Double());
        break;
      case Tag(8, kBytes):
        DecodeExemplar(in.Bytes());
        break;
      case Tag(10, kVarint):
        point.flags = static_cast<uint32_t>(in.Varint());
        break;
      case Tag(11, kFixed64):
        point.min = in.Double();
        break;
      case Tag(12, kFixed64):
        point.max = in.Double();
        break;
      default:
        in.Skip();
    }
  }
  point.exemplars = SliceFrom(exemplars_begin, batch_.exemplars);
  point.bucket_counts = SliceFrom(counts_begin, batch_.bucket_counts);
  point.explicit_bounds = SliceFrom(bounds_begin, batch_.bounds);
  batch_.histogram_points.push_back(point);
}

void MetricDecoder::DecodeExponentialHistogramPoint(std::string_view bytes) {
  if (!HasRoom(batch_.exponential_histogram_points, "exponential histogram data points"))
    return;
  model::ExponentialHistogramPoint point;
  point.attributes = DecodeAttributes(bytes, 1);
  const uint32_t exemplars_begin = SizeOf(batch_.exemplars);
  for (Reader in(bytes, &state_.fault); in.Next();) {
    switch (in.tag()) {
      case Tag(8, kBytes):
        DecodeBuckets(in.Bytes(), &point.positive);
        break;
      case Tag(9, kBytes):
        DecodeBuckets(in.Bytes(), &point.negative);
        break;
      case Tag(11, kBytes):
        DecodeExemplar(in.Bytes());
        break;
      default:
        DecodeExponentialField(in, &point);
    }
  }
  point.exemplars = SliceFrom(exemplars_begin, batch_.exemplars);
  batch_.exponential_histogram_points.push_back(point);
}

void MetricDecoder::DecodeExponentialField(Reader& in, model::ExponentialHistogramPoint* point) {
  switch (in.tag()) {
    case Tag(2, kFixed64):
      point->start_time_unix_nano = in.Fixed64();
      break;
    case Tag(3, kFixed64):
      point->time_unix_nano = in.Fixed64();
      break;
    case Tag(4, kFixed64):
      point->count = in.Fixed64();
      break;
    case Tag(5, kFixed64):
      point->sum = in.Double();
      break;
    case Tag(6, kVarint):
      point->scale = in.Sint32();
      break;
    case Tag(7, kFixed64):
      point->zero_count = in.Fixed64();
      break;
    case Tag(10, kVarint):
      point->flags = static_cast<uint32_t>(in.Varint());
      break;
    case Tag(12, kFixed64):
      point->min = in.Double();
      break;
    case Tag(13, kFixed64):
      point->max = in.Double();
      break;
    case Tag(14, kFixed64):
      point->zero_threshold = in.Double();
      break;
    default:
      in.Skip();
  }
}

void MetricDecoder::DecodeBuckets(std::string_view bytes,
                                  model::ExponentialHistogramPoint::Buckets* buckets) {
  if (!HasListRoom(batch_.bucket_counts))
    return;
  const uint32_t begin = SizeOf(batch_.bucket_counts);
  for (Reader in(bytes, &state_.fault); in.Next();) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        buckets->offset = in.Sint32();
        break;
      case Tag(2, kBytes):
        wire::AppendPacked(in.Bytes(), &batch_.bucket_counts, &state_.fault);
        break;
      case Tag(2, kVarint):
        batch_.bucket_counts.push_back(in.Varint());
        break;
      default:
        in.Skip();
    }
  }
  buckets->bucket_counts = state_.Rejoin(
      buckets->bucket_counts, SliceFrom(begin, batch_.bucket_counts), &batch_.bucket_counts);
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
  if (!HasListRoom(batch_.quantile_values))
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

template <typename T>
void MetricDecoder::AppendFixed64(std::string_view packed, std::vector<T>* pool) {
  if (packed.size() % sizeof(T) != 0) {
    state_.fault.Set("a list of 8-byte numbers whose length is not a multiple of 8", packed.data());
    return;
  }
  if (!HasListRoom(*pool))
    return;
  for (Reader in(packed, &state_.fault); !in.rest().empty();)
    pool->push_back(std::bit_cast<T>(in.Fixed64()));
}

}  // namespace flarestack::codec::otlp
