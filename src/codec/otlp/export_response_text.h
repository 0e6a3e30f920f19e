// SPDX-License-Identifier: Apache-2.0
//
// Names and texts shared by both encodings of a response. Private to codec/otlp: use
// export_response.h.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "codec/otlp/export_response.h"
#include "model/signal.h"

namespace flarestack::codec::otlp {

inline constexpr std::string_view kRetryInfoType = "type.googleapis.com/google.rpc.RetryInfo";
inline constexpr std::string_view kBadRequestType = "type.googleapis.com/google.rpc.BadRequest";

// The text as valid UTF-8 of at most `bytes_max` bytes. A truncated text ends in "...".
std::string Shortened(std::string_view text, size_t bytes_max);

// google.protobuf.Duration: seconds and nanoseconds have the same sign.
struct DurationParts {
  int64_t seconds = 0;
  int32_t nanos = 0;
};
DurationParts PartsOf(std::chrono::nanoseconds duration);
// Saturates: a duration may exceed 64 bits of nanoseconds.
std::chrono::nanoseconds DurationOf(const DurationParts& parts);

// "1.500000000s", as in proto3 JSON.
std::string DurationText(std::chrono::nanoseconds duration);
std::optional<std::chrono::nanoseconds> ParseDuration(std::string_view text);

// The JSON half.
std::string EncodeExportResponseJson(model::Signal signal, const PartialSuccess& partial_success);
absl::Status DecodeExportResponseJson(model::Signal signal, std::string_view json,
                                      PartialSuccess* out);
std::string EncodeRpcStatusJson(const RpcStatus& status);
absl::Status DecodeRpcStatusJson(std::string_view json, RpcStatus* out);

}  // namespace flarestack::codec::otlp
