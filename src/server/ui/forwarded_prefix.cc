// SPDX-License-Identifier: Apache-2.0
#include "server/ui/forwarded_prefix.h"

#include <algorithm>

namespace flarestack::server {
namespace {

constexpr size_t kPrefixBytesMax = 256;

}  // namespace

std::string_view ForwardedPrefix(const net::HttpRequest& request) {
  std::string_view prefix = request.headers.Get("X-Forwarded-Prefix");
  while (prefix.ends_with('/'))
    prefix.remove_suffix(1);
  const bool is_plain = std::all_of(prefix.begin(), prefix.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
           c == '-' || c == '_' || c == '.' || c == '~';
  });
  const bool is_path = prefix.starts_with('/') && !prefix.starts_with("//");
  return is_plain && is_path && prefix.size() <= kPrefixBytesMax ? prefix : std::string_view();
}

}  // namespace flarestack::server
