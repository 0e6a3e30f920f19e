// SPDX-License-Identifier: Apache-2.0
//
// The three signals under one set of names, for tests with the same requirements for each.
#pragma once

#include <string>

#include "base/warnings.h"
#include "codec/otlp/signals/logs_protobuf.h"
#include "codec/otlp/signals/metrics_protobuf.h"
#include "codec/otlp/signals/signals_json.h"
#include "codec/otlp/signals/traces_protobuf.h"
#include "codec/wire/reverse_writer.h"

namespace flarestack::codec::otlp {

struct TraceTraits {
  using Batch = model::TraceBatch;
  static constexpr auto Decode = DecodeTraces;
  static constexpr auto Encode = EncodeTraces;
  static constexpr auto DecodeJson = DecodeTracesJson;
  static constexpr auto EncodeJson = EncodeTracesJson;
  static constexpr const char* kName = "traces";
};
struct LogTraits {
  using Batch = model::LogBatch;
  static constexpr auto Decode = DecodeLogs;
  static constexpr auto Encode = EncodeLogs;
  static constexpr auto DecodeJson = DecodeLogsJson;
  static constexpr auto EncodeJson = EncodeLogsJson;
  static constexpr const char* kName = "logs";
};
struct MetricTraits {
  using Batch = model::MetricBatch;
  static constexpr auto Decode = DecodeMetrics;
  static constexpr auto Encode = EncodeMetrics;
  static constexpr auto DecodeJson = DecodeMetricsJson;
  static constexpr auto EncodeJson = EncodeMetricsJson;
  static constexpr const char* kName = "metrics";
};

template <typename Traits>
std::string EncodeToString(const typename Traits::Batch& batch) {
  wire::ReverseWriter out(1024);
  Traits::Encode(batch, &out);
  return std::string(out.view());
}

template <typename Traits>
std::string EncodeToJson(const typename Traits::Batch& batch) {
  std::string json;
  const auto append = [&](std::string_view piece) {
    json.append(piece);
    return absl::OkStatus();
  };
  Traits::EncodeJson(batch, append).IgnoreError();  // appending to a string does not fail
  return json;
}

}  // namespace flarestack::codec::otlp
