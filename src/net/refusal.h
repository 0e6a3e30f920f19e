// SPDX-License-Identifier: Apache-2.0
//
// Why a server turned a request away by itself, before any handler saw it. Each reason has a name
// that does not change, so that refusals can be counted by it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace flarestack::net {

enum class RefusalReason : uint8_t {
  kBadHead,       // not HTTP, or framed in a way that could be read in two ways
  kHeadTooLarge,  // the request line, the headers or the target
  kHeadTimeout,
  kNoRoute,   // no such path or method of gRPC
  kMethod,    // the path takes another method of HTTP
  kEncoding,  // a content type or encoding that is not known
  kBodyTooLarge,
  kBodyTimeout,
  kBadBody,          // damaged, cut short, or none at all
  kExpandsTooFar,    // beyond the limits of decompression
  kCredentials,      // none, or wrong ones
  kRole,             // the credentials do not have it
  kRateLimit,        // of the credentials
  kConnections,      // too many at the same time
  kRequests,         // too many at the same time
  kBytesInFlight,    // too many at the same time
  kQueueTimeout,     // waited for its turn for too long
  kStopping,         // the server
  kHandlerFailed,    // by an exception
  kCredentialsDown,  // whoever is to judge them cannot
};

std::string_view RefusalName(RefusalReason reason);  // "body_too_large"

// Of what Admit() and Decompress() answer.
RefusalReason ReasonOfAdmission(const absl::Status& status);
RefusalReason ReasonOfBody(const absl::Status& status);

// `status` is a number of HTTP ("413") or a code of gRPC ("RESOURCE_EXHAUSTED"), and empty where
// nothing was answered. Called from any thread.
using RefusalHook = std::function<void(std::string_view status, RefusalReason reason)>;

struct HttpRefusal {
  int status;
  RefusalReason reason;
  std::string message;
};

}  // namespace flarestack::net
