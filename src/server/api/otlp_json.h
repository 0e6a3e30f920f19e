// SPDX-License-Identifier: Apache-2.0
//
// `format=otlp`: the stored data as it was sent, in OTLP/JSON.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "server/api/endpoint.h"

namespace flarestack::server::api {

inline Parameter FormatParameter() {
  return {.name = "format", .summary = "json, or otlp for OTLP/JSON", .fallback = "json"};
}

inline bool IsOtlp(const Call& call) { return call.Text("format") == "otlp"; }

inline absl::Status CheckFormat(const Call& call) {
  if (!IsOtlp(call) && call.Text("format", "json") != "json")
    return absl::InvalidArgumentError("`format` must be json or otlp");
  return absl::OkStatus();
}

// `encode` is called with a function that writes the output.
template <typename Encode>
absl::StatusOr<Answer> OtlpJson(Encode encode) {
  Answer response = {.content_type = "application/json"};
  FLARE_RETURN_IF_ERROR(encode([&](std::string_view bytes) {
    response.bytes += bytes;
    return absl::OkStatus();
  }));
  return response;
}

}  // namespace flarestack::server::api
