// SPDX-License-Identifier: Apache-2.0
//
// Determines the OTLP target from flags and the environment variables of the OpenTelemetry
// exporters:
//
//   flags > OTEL_EXPORTER_OTLP_PROFILES_... (or METRICS_...) > OTEL_EXPORTER_OTLP_...
//
//   ENDPOINT PROTOCOL HEADERS TIMEOUT COMPRESSION CERTIFICATE CLIENT_CERTIFICATE CLIENT_KEY
//   INSECURE
//
// The PROFILES_ variants are not in the specification yet; they are read like those of the other
// signals. An empty variable counts as unset.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/signal.h"
#include "record/export/otlp_target.h"

namespace flarestack::record::exporting {

// Returns the value of an environment variable, or nullopt if it is unset.
using Environment = std::function<std::optional<std::string>(const std::string&)>;

// Reads a variable of this process.
std::optional<std::string> ProcessVariable(const std::string& name);

// Reads a file with certificates or a key.
using PemReader = std::function<absl::StatusOr<std::string>(const std::string& path)>;

absl::StatusOr<std::string> ReadPemFile(const std::string& path);

// Empty fields were not given.
struct OtlpTargetFlags {
  std::string endpoint;              // http, https, grpc or grpcs
  std::string protocol;              // grpc, http/protobuf or http/json
  std::vector<std::string> headers;  // NAME=VALUE
  std::string compression;           // gzip, zstd or none
  std::string ca_path;
};

// `signal` is kProfiles or kMetrics. Its path is always appended to OTEL_EXPORTER_OTLP_ENDPOINT,
// the base URL of all signals, and to an HTTP endpoint from a flag without a path. The endpoint
// variable of one signal is used unchanged. A flag with a path is the URL of profiles: if it ends
// with the path of profiles, metrics use the same base; otherwise metrics are an error.
// kInvalidArgument names the flag or the variable, and never contains the value of a header. Errors
// of `read_pem` keep their code.
absl::StatusOr<OtlpTarget> FindOtlpTarget(const OtlpTargetFlags& flags,
                                          const Environment& environment,
                                          const PemReader& read_pem = ReadPemFile,
                                          model::Signal signal = model::Signal::kProfiles);

}  // namespace flarestack::record::exporting
