// SPDX-License-Identifier: Apache-2.0
//
// Where OTLP goes and how, out of flags and the variables of the OpenTelemetry exporters:
//
//   flags > OTEL_EXPORTER_OTLP_PROFILES_{ENDPOINT,PROTOCOL,HEADERS} > OTEL_EXPORTER_OTLP_...
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/yaml_file.h"
#include "net/http_message.h"

namespace flarestack::cli {

enum class OtlpProtocol : uint8_t { kGrpc, kHttpProtobuf, kHttpJson };

struct OtlpTarget {
  OtlpProtocol protocol = OtlpProtocol::kHttpProtobuf;
  std::string endpoint;  // as it was given
  std::string url;       // of HTTP, with the path of the signal
  std::string address;   // of gRPC: HOST:PORT
  bool use_tls = false;  // of gRPC
  net::HttpHeaders headers;
};

struct OtlpTargetFlags {
  std::string endpoint;              // http, https, grpc or grpcs; empty: not given
  std::string protocol;              // grpc, http/protobuf or http/json; empty: not given
  std::vector<std::string> headers;  // NAME=VALUE
};

// An HTTP endpoint without a path gets that of profiles, one with a path is taken as it is; to
// OTEL_EXPORTER_OTLP_ENDPOINT, which is for all signals, the path is always appended.
// kInvalidArgument names the flag or the variable.
absl::StatusOr<OtlpTarget> FindOtlpTarget(const OtlpTargetFlags& flags,
                                          const Environment& environment);

}  // namespace flarestack::cli
