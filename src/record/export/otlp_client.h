// SPDX-License-Identifier: Apache-2.0
//
// Sends one OTLP request over HTTP or gRPC, once, and interprets the response by the rules of the
// protocol. Retries are up to otlp_sender.h for a file and exporter.h for a stream.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codec/otlp/export_response.h"
#include "net/grpc/grpc_client.h"
#include "net/http/http_client.h"
#include "record/export/otlp_target.h"

namespace flarestack::record::exporting {

struct OtlpAttempt {
  // kUnavailable if the server could not be reached; other codes come from the server.
  absl::StatusOr<codec::otlp::PartialSuccess> result;
  bool may_retry = false;                            // OTLP allows it, or there was no response
  std::optional<std::chrono::milliseconds> delay{};  // minimum delay requested by the server
};

class OtlpClient {
 public:
  // Returns kInvalidArgument for malformed certificates. Does not connect.
  static absl::StatusOr<std::unique_ptr<OtlpClient>> Create(OtlpTarget target);

  // `message` must have the encoding of the protocol. Blocks up to the target's timeout, or up to
  // `timeout_max` if that is shorter.
  OtlpAttempt Try(std::string_view message,
                  std::chrono::milliseconds timeout_max = std::chrono::hours(1));

  const OtlpTarget& target() const { return target_; }

 private:
  OtlpAttempt TryHttp(std::string_view message, std::chrono::milliseconds timeout);
  OtlpAttempt TryGrpc(std::string_view message, std::chrono::milliseconds timeout);
  codec::otlp::Encoding encoding() const;

  OtlpTarget target_;
  std::unique_ptr<net::HttpClient> http_;
  std::unique_ptr<net::GrpcClient> grpc_;
};

}  // namespace flarestack::record::exporting
