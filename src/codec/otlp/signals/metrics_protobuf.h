// SPDX-License-Identifier: Apache-2.0
//
// MetricsData and ExportMetricsServiceRequest (the same bytes) in protobuf, and one Metric or one
// data point by itself, as a store keeps them.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "codec/otlp/values/limits.h"
#include "codec/wire/reverse_writer.h"
#include "model/metric.h"

namespace flarestack::codec::otlp {

// Empties `batch` and fills it; its memory is used again, and it points into `bytes`. Points are
// not checked: see model/item_check.h. kInvalidArgument with the byte offset when the bytes are no
// such message; kResourceExhausted when a limit is met. The batch is empty after an error.
absl::Status DecodeMetrics(std::string_view bytes, const Limits& limits, model::MetricBatch* batch);

// Appends the message to `out`, which is written from its end. Fields ascend and defaults are left
// out: the same batch gives the same bytes.
void EncodeMetrics(const model::MetricBatch& batch, wire::ReverseWriter* out);

// The fields of a Metric, without tag and length: its name, unit, kind and so on, but no points.
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

// Appended to batch->metrics or to the pool of their kind; the batch points into `bytes`. After an
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
