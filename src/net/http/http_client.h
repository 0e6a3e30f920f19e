// SPDX-License-Identifier: Apache-2.0
//
// An HTTP client: one request and one complete response, both limited. Thread-safe; connections are
// reused.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "net/http/http_message.h"

namespace flarestack::net {

struct HttpClientOptions {
  std::string ca_pem;  // trusted signers of the server's certificate; empty: the system's list
  std::string certificate_pem;  // our own, for servers that require one; empty: none
  std::string key_pem;
  std::chrono::milliseconds connect_timeout{5'000};
  uint64_t response_bytes_max = 4 << 20;
  int redirects_max = 5;  // for GET and HEAD; other methods follow none
};

struct HttpClientRequest {
  std::string method = "GET";
  std::string url;  // http: or https:
  HttpHeaders headers;
  std::string body;
  std::chrono::milliseconds timeout{10'000};  // for the whole request
};

class HttpClient {
 public:
  explicit HttpClient(HttpClientOptions options);
  ~HttpClient();

  // Any HTTP status is a successful result. Returns kUnavailable if the server cannot be reached or
  // disconnects, kDeadlineExceeded, kResourceExhausted if the response exceeds the limit,
  // kInvalidArgument for a bad request, and kUnauthenticated if the server's certificate is not
  // trusted.
  absl::StatusOr<HttpResponse> Send(const HttpClientRequest& request);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace flarestack::net
