// SPDX-License-Identifier: Apache-2.0
//
// HOST:PORT as people write it:
//
//   127.0.0.1:4317   localhost:4317   [::1]:4317   example.com:80   :4317 (all interfaces)
//
// A bare port is not accepted: whoever means all interfaces shall write the colon. Nothing is
// looked up here, so a name costs no time and cannot fail.
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

// The form ParseAddress reads, with brackets around IPv6.
std::string ToString(const Address& address);

// 127.0.0.0/8, ::1, IPv4 loopback mapped into IPv6, and `localhost`. Other names are not looked up
// and count as reachable from outside.
bool IsLoopback(const Address& address);

}  // namespace flarestack::net
