// SPDX-License-Identifier: Apache-2.0
//
// An HTTP client: one request, one whole answer, both limited. Thread-safe; connections are kept
// and used again.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "net/http/http_message.h"

namespace flarestack::net {

struct HttpClientOptions {
  std::string ca_pem;           // who may sign the server's certificate; empty: the system's list
  std::string certificate_pem;  // our own, for servers that ask; empty: none
  std::string key_pem;
  std::chrono::milliseconds connect_timeout{5'000};
  uint64_t response_bytes_max = 4 << 20;
  int redirects_max = 5;  // of GET and HEAD; other methods follow none
};

struct HttpClientRequest {
  std::string method = "GET";
  std::string url;  // http: or https:
  HttpHeaders headers;
  std::string body;
  std::chrono::milliseconds timeout{10'000};  // for all of it
};

class HttpClient {
 public:
  explicit HttpClient(HttpClientOptions options);
  ~HttpClient();

  // Any status of the server is an answer. kUnavailable when it cannot be reached or breaks off,
  // kDeadlineExceeded, kResourceExhausted for an answer above the limit, kInvalidArgument for the
  // request, kUnauthenticated when the certificate of the server is not to be trusted.
  absl::StatusOr<HttpResponse> Send(const HttpClientRequest& request);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace flarestack::net
