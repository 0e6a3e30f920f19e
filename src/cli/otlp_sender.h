// SPDX-License-Identifier: Apache-2.0
//
// Sends OTLP requests to an endpoint over HTTP or gRPC, and tries again where the protocol allows
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codec/otlp/export_response.h"
#include "net/grpc_client.h"
#include "net/http_client.h"

namespace flarestack::cli {

struct OtlpSenderOptions {
  std::string endpoint;  // http://HOST:4318, https://..., or grpc://HOST:4317
  net::HttpHeaders headers;
  std::string ca_pem;
  bool gzip = true;
  int attempts_max = 6;
};

class OtlpSender {
 public:
  // kInvalidArgument for an endpoint that is none.
  static absl::StatusOr<std::unique_ptr<OtlpSender>> Create(OtlpSenderOptions options);

  // Blocks until the server has answered for good. kUnavailable when it could not be reached, other
  // codes as the server gives them.
  absl::StatusOr<codec::otlp::PartialSuccess> Send(std::string_view profiles);

  // Of all requests so far, for the summary.
  uint64_t retries() const { return retries_; }

 private:
  // One try: an answer, or a status and whether to try again.
  struct Attempt {
    absl::StatusOr<codec::otlp::PartialSuccess> result;
    bool may_retry = false;
  };
  Attempt TryHttp(std::string_view profiles);
  Attempt TryGrpc(std::string_view profiles);

  OtlpSenderOptions options_;
  std::string url_;
  std::unique_ptr<net::HttpClient> http_;
  std::unique_ptr<net::GrpcClient> grpc_;
  uint64_t retries_ = 0;
};

}  // namespace flarestack::cli
