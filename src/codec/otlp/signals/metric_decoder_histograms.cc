// SPDX-License-Identifier: Apache-2.0
//
// Decodes the data points of both kinds of histograms.
#include <bit>

#include "codec/otlp/signals/metric_decoder.h"
#include "codec/wire/packed.h"

namespace flarestack::codec::otlp {

using wire::kBytes;
using wire::kFixed64;
using wire::kVarint;
using wire::Reader;
using wire::Tag;

template <typename T>
void MetricDecoder::AppendFixed64(std::string_view packed, std::vector<T>* pool) {
  if (packed.size() % sizeof(T) != 0) {
    state_.fault.Set("a list of 8-byte numbers whose length is not a multiple of 8", packed.data());
    return;
  }
  if (!state_.TakeMemory(packed.size() / sizeof(T) * kNumberBytes))
    return;
  for (Reader in(packed, &state_.fault); !in.rest().empty();)
    pool->push_back(std::bit_cast<T>(in.Fixed64()));
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
  CheckList(batch_.bucket_counts);
  CheckList(batch_.bounds);
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
  const uint32_t begin = SizeOf(batch_.bucket_counts);
  for (Reader in(bytes, &state_.fault); in.Next();) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        buckets->offset = in.Sint32();
        break;
      case Tag(2, kBytes): {
        const std::string_view packed = in.Bytes();
        if (state_.TakeMemory(wire::CountPacked(packed) * kNumberBytes))
          wire::AppendPacked(packed, &batch_.bucket_counts, &state_.fault);
        break;
      }
      case Tag(2, kVarint):
        batch_.bucket_counts.push_back(in.Varint());
        break;
      default:
        in.Skip();
    }
  }
  CheckList(batch_.bucket_counts);
  buckets->bucket_counts = state_.Rejoin(
      buckets->bucket_counts, SliceFrom(begin, batch_.bucket_counts), &batch_.bucket_counts);
}

}  // namespace flarestack::codec::otlp
