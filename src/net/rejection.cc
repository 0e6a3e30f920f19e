// SPDX-License-Identifier: Apache-2.0
#include "net/rejection.h"

namespace flarestack::net {

std::string_view RejectionName(RejectionReason reason) {
  switch (reason) {
    case RejectionReason::kBadHead:
      return "bad_head";
    case RejectionReason::kHeadTooLarge:
      return "head_too_large";
    case RejectionReason::kHeadTimeout:
      return "head_timeout";
    case RejectionReason::kNoRoute:
      return "no_route";
    case RejectionReason::kMethod:
      return "method";
    case RejectionReason::kEncoding:
      return "encoding";
    case RejectionReason::kBodyTooLarge:
      return "body_too_large";
    case RejectionReason::kBodyTimeout:
      return "body_timeout";
    case RejectionReason::kBadBody:
      return "bad_body";
    case RejectionReason::kExpandsTooFar:
      return "expands_too_far";
    case RejectionReason::kCredentials:
      return "credentials";
    case RejectionReason::kRole:
      return "role";
    case RejectionReason::kRateLimit:
      return "rate_limit";
    case RejectionReason::kConnections:
      return "connections";
    case RejectionReason::kRequests:
      return "requests";
    case RejectionReason::kBytesInFlight:
      return "bytes_in_flight";
    case RejectionReason::kQueueTimeout:
      return "queue_timeout";
    case RejectionReason::kStopping:
      return "stopping";
    case RejectionReason::kHandlerFailed:
      return "handler_failed";
    case RejectionReason::kCredentialsDown:
      return "credentials_down";
  }
  return "";
}

RejectionReason ReasonOfAdmission(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnauthenticated:
      return RejectionReason::kCredentials;
    case absl::StatusCode::kPermissionDenied:
      return RejectionReason::kRole;
    case absl::StatusCode::kResourceExhausted:
      return RejectionReason::kRateLimit;
    default:
      return RejectionReason::kCredentialsDown;
  }
}

RejectionReason ReasonOfBody(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kResourceExhausted:
      return RejectionReason::kExpandsTooFar;
    case absl::StatusCode::kUnavailable:
      return RejectionReason::kBytesInFlight;
    case absl::StatusCode::kUnimplemented:
      return RejectionReason::kEncoding;
    default:
      return RejectionReason::kBadBody;
  }
}

}  // namespace flarestack::net
