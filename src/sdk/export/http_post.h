// SPDX-License-Identifier: Apache-2.0
//
// Posts a message over HTTP/1.1, one connection per message. No TLS: a profiled program sends to
// an agent or a Collector on its host or in its cluster.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flarestack::sdk {

struct HttpTarget {
  std::string host;
  std::string port;
  std::string path;
};

// nullopt unless the URL is http://HOST[:PORT][/PATH]; `why` then says what is wrong.
std::optional<HttpTarget> ParseHttpUrl(std::string_view url, std::string* why);

struct HttpResult {
  int status = 0;  // 0: no response
  std::string error = {};
  std::optional<uint64_t> retry_after_ms = {};

  bool is_ok() const { return status >= 200 && status < 300; }
  // As OTLP defines it.
  bool is_retryable() const {
    return status == 0 || status == 429 || status == 502 || status == 503 || status == 504;
  }
};

// Calls `on_wait` about ten times a second while it waits.
HttpResult HttpPost(const HttpTarget& target,
                    const std::vector<std::pair<std::string, std::string>>& headers,
                    std::string_view body, uint64_t timeout_ms,
                    const std::function<void()>& on_wait);

}  // namespace flarestack::sdk
