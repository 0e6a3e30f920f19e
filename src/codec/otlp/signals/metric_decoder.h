// SPDX-License-Identifier: Apache-2.0
//
// Decodes metrics, message by message. Private to codec/otlp: use metrics_protobuf.h.
#pragma once

#include <string_view>
#include <vector>

#include "codec/otlp/signals/signal_protobuf.h"
#include "model/metric.h"

namespace flarestack::codec::otlp {

class MetricDecoder : public SignalDecoder {
 public:
  MetricDecoder(const Limits& limits, model::MetricBatch* batch)
      : SignalDecoder(limits, batch), batch_(*batch) {}

  void DecodeItem(std::string_view bytes) final;  // a Metric
  void DecodeNumberPoint(std::string_view bytes);
  void DecodeHistogramPoint(std::string_view bytes);
  void DecodeExponentialHistogramPoint(std::string_view bytes);
  void DecodeSummaryPoint(std::string_view bytes);

 private:
  uint32_t item_count() const final { return SizeOf(batch_.metrics); }
  void DecodeData(std::string_view bytes, model::MetricKind kind, model::Metric* metric);
  void DecodePoint(std::string_view bytes, model::MetricKind kind);
  uint32_t PointCount(model::MetricKind kind) const;
  void DecodeExponentialField(wire::Reader& in, model::ExponentialHistogramPoint* point);
  void DecodeBuckets(std::string_view bytes, model::ExponentialHistogramPoint::Buckets* buckets);
  void DecodeQuantile(std::string_view bytes);
  void DecodeExemplar(std::string_view bytes);

  // A packed list of fixed64 or double.
  template <typename T>
  void AppendFixed64(std::string_view packed, std::vector<T>* pool);
  // Called after a list was appended. Each element needs at least one byte, so the excess over the
  // limit is bounded by the message size.
  template <typename T>
  void CheckList(const std::vector<T>& pool) {
    if (pool.size() > state_.limits.list_elements_max)
      state_.MeetLimit("elements of lists");
  }

  model::MetricBatch& batch_;
};

}  // namespace flarestack::codec::otlp
