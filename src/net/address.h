// SPDX-License-Identifier: Apache-2.0
//
// Addresses of the form HOST:PORT:
//
//   127.0.0.1:4317   localhost:4317   [::1]:4317   example.com:80   :4317 (all interfaces)
//
// A bare port is rejected: listening on all interfaces requires an explicit colon. Names are not
// resolved here, so parsing is immediate and does not depend on DNS.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace flarestack::net {

struct Address {
  std::string host;  // without brackets; empty means all interfaces
  uint16_t port = 0;

  friend bool operator==(const Address&, const Address&) = default;
};

absl::StatusOr<Address> ParseAddress(std::string_view text);

// Writes the form that ParseAddress reads, with brackets around IPv6.
std::string ToString(const Address& address);

// True for 127.0.0.0/8, ::1, IPv4 loopback mapped into IPv6, `localhost` and names below it. Other
// names are not resolved and count as reachable from outside.
bool IsLoopback(const Address& address);

}  // namespace flarestack::net
