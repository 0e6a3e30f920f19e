// SPDX-License-Identifier: Apache-2.0
//
// Why a server rejected a request before a handler saw it. Each reason has a stable name, so that
// rejections can be counted by reason.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace flarestack::net {

enum class RejectionReason : uint8_t {
  kBadHead,       // not HTTP, or with ambiguous framing
  kHeadTooLarge,  // request line, headers or target
  kHeadTimeout,
  kNoRoute,   // no such path or gRPC method
  kMethod,    // the path does not support this HTTP method
  kEncoding,  // unknown content type or encoding
  kBodyTooLarge,
  kBodyTimeout,
  kBadBody,          // corrupt, truncated or missing
  kExpandsTooFar,    // exceeds the decompression limits
  kCredentials,      // missing or wrong
  kRole,             // the credentials lack the required role
  kRateLimit,        // the rate limit of the credentials
  kConnections,      // too many concurrent connections
  kRequests,         // too many concurrent requests
  kBytesInFlight,    // the byte budget is used up
  kQueueTimeout,     // waited too long in a queue
  kStopping,         // the server is shutting down
  kHandlerFailed,    // with an exception
  kCredentialsDown,  // the credentials cannot be checked now
};

std::string_view RejectionName(RejectionReason reason);  // "body_too_large"

// The reason for an error from Admit() or Decompress().
RejectionReason ReasonOfAdmission(const absl::Status& status);
RejectionReason ReasonOfBody(const absl::Status& status);

// `status` is an HTTP status ("413") or a gRPC code ("RESOURCE_EXHAUSTED"), or empty if no response
// was sent. Called from any thread.
using RejectionHook = std::function<void(std::string_view status, RejectionReason reason)>;

struct HttpRejection {
  int status;
  RejectionReason reason;
  std::string message;
};

}  // namespace flarestack::net
