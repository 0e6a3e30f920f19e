// SPDX-License-Identifier: Apache-2.0
//
// Sends OTLP requests over HTTP or gRPC, and tries again where the protocol allows it: not before
// the server said (Retry-After, google.rpc.RetryInfo), and a bounded number of times.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/otlp_target.h"
#include "codec/otlp/export_response.h"
#include "net/grpc_client.h"
#include "net/http_client.h"

namespace flarestack::cli {

// What is known when a request is about to be tried again.
struct OtlpRetry {
  int attempt = 0;  // the next one, from 2 on
  int attempts_max = 0;
  std::chrono::milliseconds delay{0};
  std::string why;
};

struct OtlpSenderOptions {
  OtlpTarget target;
  std::string ca_pem;
  bool gzip = true;
  int attempts_max = 6;
  std::chrono::milliseconds delay_max{60'000};     // a server that wants more is not waited for
  std::function<void(const OtlpRetry&)> on_retry;  // null: nobody is told
  std::function<void(std::chrono::milliseconds)> wait;  // null: sleeps
};

class OtlpSender {
 public:
  // kInvalidArgument for certificates that are none.
  static absl::StatusOr<std::unique_ptr<OtlpSender>> Create(OtlpSenderOptions options);

  // `profiles` are in the encoding of the protocol. Blocks until the server has answered for good.
  // kUnavailable when it could not be reached, other codes as the server gives them.
  absl::StatusOr<codec::otlp::PartialSuccess> Send(std::string_view profiles);

  // Of all requests so far, for the summary.
  uint64_t retries() const { return retries_; }

 private:
  // One try: an answer, or a status, whether to try again, and how long to wait at least.
  struct Attempt {
    absl::StatusOr<codec::otlp::PartialSuccess> result;
    bool may_retry = false;
    std::optional<std::chrono::milliseconds> delay = std::nullopt;
  };
  Attempt TryHttp(std::string_view profiles);
  Attempt TryGrpc(std::string_view profiles);
  codec::otlp::Encoding encoding() const;

  OtlpSenderOptions options_;
  std::unique_ptr<net::HttpClient> http_;
  std::unique_ptr<net::GrpcClient> grpc_;
  uint64_t retries_ = 0;
};

// Seconds, or a date of HTTP. Nothing for anything else.
std::optional<std::chrono::milliseconds> ParseRetryAfter(std::string_view header,
                                                         std::chrono::system_clock::time_point now);

}  // namespace flarestack::cli
