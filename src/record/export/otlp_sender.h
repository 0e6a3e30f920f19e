// SPDX-License-Identifier: Apache-2.0
//
// Sends OTLP requests, and tries again where the protocol allows it: not before the server said
// (Retry-After, google.rpc.RetryInfo), and a bounded number of times.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codec/otlp/export_response.h"
#include "record/export/otlp_client.h"
#include "record/export/otlp_target.h"

namespace flarestack::record::exporting {

// What is known when a request is about to be tried again.
struct OtlpRetry {
  int attempt = 0;  // the next one, from 2 on
  int attempts_max = 0;
  std::chrono::milliseconds delay{0};
  std::string why;
};

struct OtlpSenderOptions {
  OtlpTarget target;
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
  OtlpSenderOptions options_;
  std::unique_ptr<OtlpClient> client_;
  uint64_t retries_ = 0;
};

}  // namespace flarestack::record::exporting
