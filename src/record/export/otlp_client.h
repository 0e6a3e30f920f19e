// SPDX-License-Identifier: Apache-2.0
//
// One request of OTLP over HTTP or gRPC, tried once, and what its answer means by the
// rules of the protocol. Who tries again, and when, is otlp_sender.h for a file and exporter.h for
// a stream.
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
  // kUnavailable when the server could not be reached, other codes as the server gives them.
  absl::StatusOr<codec::otlp::PartialSuccess> result;
  bool may_retry = false;                            // OTLP says so, or there was no answer
  std::optional<std::chrono::milliseconds> delay{};  // the server said: not earlier than that
};

class OtlpClient {
 public:
  // kInvalidArgument for certificates that are none. Does not connect.
  static absl::StatusOr<std::unique_ptr<OtlpClient>> Create(OtlpTarget target);

  // `message` is in the encoding of the protocol. Blocks for as long as the target's timeout, or
  // `timeout_max` where that is shorter.
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
