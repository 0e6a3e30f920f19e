// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ctime>
#include <string>

#include "base/text/text.h"
#include "net/http/http_core.h"

namespace flarestack::net {
namespace {

std::string DateText() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[64];
  const size_t size = std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &utc);
  return {text, size};
}

std::string OneLine(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return line;
}

// Only the server sets these headers; values from a handler are dropped.
bool IsFraming(std::string_view name) {
  return EqualsIgnoringCase(name, "Content-Length") || EqualsIgnoringCase(name, "Connection") ||
         EqualsIgnoringCase(name, "Transfer-Encoding") || EqualsIgnoringCase(name, "Date");
}

}  // namespace

std::string SerializeHead(const HttpResponse& response, const HttpHeadOptions& options) {
  std::string head =
      base::StrCat("HTTP/1.1 ", response.status, " ", HttpReason(response.status), "\r\n");
  base::StrAppend(&head, "Date: ", DateText(), "\r\n");
  for (const auto& [name, value] : response.headers) {
    if (!IsFraming(name))
      base::StrAppend(&head, OneLine(name), ": ", OneLine(value), "\r\n");
  }
  if (options.is_streamed) {
    if (!options.is_http_1_0)
      head += "Transfer-Encoding: chunked\r\n";
  } else if (response.status != 204 && response.status != 304) {
    base::StrAppend(&head, "Content-Length: ", response.body.size(), "\r\n");
  }
  if (!options.keep_alive) {
    head += "Connection: close\r\n";
  } else if (options.is_http_1_0) {
    head += "Connection: keep-alive\r\n";
  }
  head += "\r\n";
  return head;
}

}  // namespace flarestack::net
