// SPDX-License-Identifier: Apache-2.0
#include "net/refusal.h"

namespace flarestack::net {

std::string_view RefusalName(RefusalReason reason) {
  switch (reason) {
    case RefusalReason::kBadHead:
      return "bad_head";
    case RefusalReason::kHeadTooLarge:
      return "head_too_large";
    case RefusalReason::kHeadTimeout:
      return "head_timeout";
    case RefusalReason::kNoRoute:
      return "no_route";
    case RefusalReason::kMethod:
      return "method";
    case RefusalReason::kEncoding:
      return "encoding";
    case RefusalReason::kBodyTooLarge:
      return "body_too_large";
    case RefusalReason::kBodyTimeout:
      return "body_timeout";
    case RefusalReason::kBadBody:
      return "bad_body";
    case RefusalReason::kExpandsTooFar:
      return "expands_too_far";
    case RefusalReason::kCredentials:
      return "credentials";
    case RefusalReason::kRole:
      return "role";
    case RefusalReason::kRateLimit:
      return "rate_limit";
    case RefusalReason::kConnections:
      return "connections";
    case RefusalReason::kRequests:
      return "requests";
    case RefusalReason::kBytesInFlight:
      return "bytes_in_flight";
    case RefusalReason::kQueueTimeout:
      return "queue_timeout";
    case RefusalReason::kStopping:
      return "stopping";
    case RefusalReason::kHandlerFailed:
      return "handler_failed";
    case RefusalReason::kCredentialsDown:
      return "credentials_down";
  }
  return "";
}

RefusalReason ReasonOfAdmission(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnauthenticated:
      return RefusalReason::kCredentials;
    case absl::StatusCode::kPermissionDenied:
      return RefusalReason::kRole;
    case absl::StatusCode::kResourceExhausted:
      return RefusalReason::kRateLimit;
    default:
      return RefusalReason::kCredentialsDown;
  }
}

RefusalReason ReasonOfBody(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kResourceExhausted:
      return RefusalReason::kExpandsTooFar;
    case absl::StatusCode::kUnavailable:
      return RefusalReason::kBytesInFlight;
    case absl::StatusCode::kUnimplemented:
      return RefusalReason::kEncoding;
    default:
      return RefusalReason::kBadBody;
  }
}

}  // namespace flarestack::net
