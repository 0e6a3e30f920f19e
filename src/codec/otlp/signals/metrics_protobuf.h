// SPDX-License-Identifier: Apache-2.0
//
// MetricsData and ExportMetricsServiceRequest (the same bytes) in protobuf, and a single Metric or
// data point, as a store keeps them.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "codec/otlp/values/limits.h"
#include "codec/wire/reverse_writer.h"
#include "model/metric.h"

namespace flarestack::codec::otlp {

// Clears and fills `batch`, reusing its memory; it points into `bytes`. Does not check data points:
// see model/validation/item_check.h. Returns kInvalidArgument with the byte offset if the bytes are
// not such a message; kResourceExhausted if a limit is reached. The batch is empty after an error.
absl::Status DecodeMetrics(std::string_view bytes, const Limits& limits, model::MetricBatch* batch);

// Appends the message to `out`, which is written from its end. Fields are in ascending order and
// defaults are omitted: the same batch gives the same bytes.
void EncodeMetrics(const model::MetricBatch& batch, wire::ReverseWriter* out);

// The fields of a Metric, without tag and length: its name, unit, kind and so on, but no data
// points.
void EncodeMetricHead(const model::MetricBatch& batch, const model::Metric& metric,
                      wire::ReverseWriter* out);

// The fields of one data point, without tag and length.
void EncodePoint(const model::MetricBatch& batch, const model::NumberPoint& point,
                 wire::ReverseWriter* out);
void EncodePoint(const model::MetricBatch& batch, const model::HistogramPoint& point,
                 wire::ReverseWriter* out);
void EncodePoint(const model::MetricBatch& batch, const model::ExponentialHistogramPoint& point,
                 wire::ReverseWriter* out);
void EncodePoint(const model::MetricBatch& batch, const model::SummaryPoint& point,
                 wire::ReverseWriter* out);

// Appends to batch->metrics or to the pool of the kind; the batch points into `bytes`. After an
// error that list is unchanged.
absl::Status DecodeMetric(std::string_view bytes, const Limits& limits, model::MetricBatch* batch);
absl::Status DecodeNumberPoint(std::string_view bytes, const Limits& limits,
                               model::MetricBatch* batch);
absl::Status DecodeHistogramPoint(std::string_view bytes, const Limits& limits,
                                  model::MetricBatch* batch);
absl::Status DecodeExponentialHistogramPoint(std::string_view bytes, const Limits& limits,
                                             model::MetricBatch* batch);
absl::Status DecodeSummaryPoint(std::string_view bytes, const Limits& limits,
                                model::MetricBatch* batch);

}  // namespace flarestack::codec::otlp
