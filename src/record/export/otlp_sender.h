// SPDX-License-Identifier: Apache-2.0
//
// Sends OTLP requests and retries where the protocol allows it: no earlier than the server
// requested (Retry-After, google.rpc.RetryInfo), and a bounded number of times.
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

// Describes an upcoming retry.
struct OtlpRetry {
  int attempt = 0;  // the next one, starting at 2
  int attempts_max = 0;
  std::chrono::milliseconds delay{0};
  std::string why;
};

struct OtlpSenderOptions {
  OtlpTarget target;
  int attempts_max = 6;
  std::chrono::milliseconds delay_max{60'000};     // if the server requests more, the send fails
  std::function<void(const OtlpRetry&)> on_retry;  // null: retries are not reported
  std::function<void(std::chrono::milliseconds)> wait;  // null: sleeps
};

class OtlpSender {
 public:
  // Returns kInvalidArgument for malformed certificates.
  static absl::StatusOr<std::unique_ptr<OtlpSender>> Create(OtlpSenderOptions options);

  // `profiles` must have the encoding of the protocol. Blocks until the outcome is final. Returns
  // kUnavailable if the server could not be reached; other codes come from the server.
  absl::StatusOr<codec::otlp::PartialSuccess> Send(std::string_view profiles);

  // Over all requests so far, for the summary.
  uint64_t retries() const { return retries_; }

 private:
  OtlpSenderOptions options_;
  std::unique_ptr<OtlpClient> client_;
  uint64_t retries_ = 0;
};

}  // namespace flarestack::record::exporting
