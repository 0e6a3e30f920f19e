// SPDX-License-Identifier: Apache-2.0
#include "net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "absl/status/status.h"
#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::net {
namespace {

constexpr size_t kHostBytesMax = 253;  // longest DNS name

absl::Status Bad(std::string_view text, std::string_view why) {
  return absl::InvalidArgumentError(base::StrCat("address '", text, "': ", why));
}

bool IsIpv6(const std::string& host) {
  in6_addr ignored = {};
  const std::string without_zone = host.substr(0, host.find('%'));
  return inet_pton(AF_INET6, without_zone.c_str(), &ignored) == 1;
}

bool IsHostNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
}

absl::StatusOr<uint16_t> ParsePort(std::string_view text, std::string_view digits) {
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
    return Bad(text, "the port must be a number from 0 to 65535");
  return port;
}

}  // namespace

absl::StatusOr<Address> ParseAddress(std::string_view text) {
  Address address;
  const size_t colon = text.rfind(':');
  if (text.starts_with('[')) {
    const size_t bracket = text.find(']');
    if (bracket == std::string_view::npos || colon != bracket + 1)
      return Bad(text, "expected [IPv6]:PORT");
    address.host = text.substr(1, bracket - 1);
    if (!IsIpv6(address.host))
      return Bad(text, "no IPv6 address inside the brackets");
  } else {
    if (colon == std::string_view::npos)
      return Bad(text, "expected HOST:PORT, or :PORT for all interfaces");
    address.host = text.substr(0, colon);
    if (address.host.find(':') != std::string::npos)
      return Bad(text, "an IPv6 address needs brackets, as in [::1]:4317");
    if (address.host.size() > kHostBytesMax ||
        !std::all_of(address.host.begin(), address.host.end(), IsHostNameCharacter)) {
      return Bad(text, "not a host name");
    }
  }
  FLARE_ASSIGN(address.port, ParsePort(text, text.substr(colon + 1)));
  return address;
}

std::string ToString(const Address& address) {
  const bool needs_brackets = address.host.find(':') != std::string::npos;
  return needs_brackets ? base::StrCat("[", address.host, "]:", address.port)
                        : base::StrCat(address.host, ":", address.port);
}

bool IsLoopback(const Address& address) {
  in_addr v4 = {};
  if (inet_pton(AF_INET, address.host.c_str(), &v4) == 1)
    return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6 = {};
  if (inet_pton(AF_INET6, address.host.c_str(), &v6) == 1) {
    return IN6_IS_ADDR_LOOPBACK(&v6) != 0 ||
           (IN6_IS_ADDR_V4MAPPED(&v6) != 0 && v6.s6_addr[12] == 127);
  }
  std::string name = address.host;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name == "localhost" || name.ends_with(".localhost");
}

}  // namespace flarestack::net
