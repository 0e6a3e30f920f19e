// SPDX-License-Identifier: Apache-2.0
//
// Traces, logs and metrics in OTLP/JSON: TracesData, LogsData and MetricsData, and the requests of
// the Export methods, which have the same members.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "base/warnings.h"
#include "codec/format/format.h"
#include "codec/otlp/values/limits.h"
#include "model/log.h"
#include "model/metric.h"
#include "model/trace.h"

namespace flarestack::codec::otlp {

// Clear and fill `batch`, which owns its text and is empty after an error. Do not check items: see
// model/validation/item_check.h. Return kInvalidArgument with the path of the member, or with the
// byte offset for text that is not JSON; kResourceExhausted if a limit is reached.
absl::Status DecodeTracesJson(std::string_view json, const Limits& limits, model::TraceBatch* batch,
                              base::Warnings* warnings);
absl::Status DecodeLogsJson(std::string_view json, const Limits& limits, model::LogBatch* batch,
                            base::Warnings* warnings);
absl::Status DecodeMetricsJson(std::string_view json, const Limits& limits,
                               model::MetricBatch* batch, base::Warnings* warnings);

// Compact, members in the order of the field numbers, defaults omitted. Return only errors of
// `write`.
absl::Status EncodeTracesJson(const model::TraceBatch& batch, WriteBytes write);
absl::Status EncodeLogsJson(const model::LogBatch& batch, WriteBytes write);
absl::Status EncodeMetricsJson(const model::MetricBatch& batch, WriteBytes write);

}  // namespace flarestack::codec::otlp
