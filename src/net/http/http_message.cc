// SPDX-License-Identifier: Apache-2.0
#include "net/http/http_message.h"

#include <strings.h>

#include <algorithm>
#include <array>

namespace flarestack::net {

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

void HttpHeaders::Set(std::string_view name, std::string value) {
  std::erase_if(entries_,
                [&](const Entry& entry) { return EqualsIgnoringCase(entry.first, name); });
  entries_.emplace_back(std::string(name), std::move(value));
}

std::optional<std::string_view> HttpHeaders::Find(std::string_view name) const {
  for (const auto& [known, value] : entries_) {
    if (EqualsIgnoringCase(known, name))
      return value;
  }
  return std::nullopt;
}

std::optional<std::string_view> HttpParameters::Find(std::string_view name) const {
  for (const auto& [known, value] : entries_) {
    if (known == name)
      return value;
  }
  return std::nullopt;
}

std::vector<std::string_view> HttpParameters::FindAll(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [known, value] : entries_) {
    if (known == name)
      values.push_back(value);
  }
  return values;
}

std::string_view HttpReason(int status) {
  constexpr std::array<std::pair<int, std::string_view>, 30> kReasons = {{
      {100, "Continue"},
      {200, "OK"},
      {201, "Created"},
      {202, "Accepted"},
      {204, "No Content"},
      {206, "Partial Content"},
      {301, "Moved Permanently"},
      {302, "Found"},
      {303, "See Other"},
      {304, "Not Modified"},
      {307, "Temporary Redirect"},
      {308, "Permanent Redirect"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {406, "Not Acceptable"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {413, "Payload Too Large"},
      {414, "URI Too Long"},
      {415, "Unsupported Media Type"},
      {422, "Unprocessable Entity"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {503, "Service Unavailable"},
      {505, "HTTP Version Not Supported"},
  }};
  for (const auto& [known, reason] : kReasons) {
    if (known == status)
      return reason;
  }
  return "Unknown";
}

}  // namespace flarestack::net
