// SPDX-License-Identifier: Apache-2.0
//
// An HTTP/1.1 server: a routing table in front, a pool of worker threads behind, and a limit on
// everything in between.
//
//   HttpServerOptions options;
//   options.listen = {"127.0.0.1", 4318};
//   options.routes = {{"POST", "/v1/profiles", Receive, Role::kWrite}};
//   FLARE_ASSIGN(auto server, HttpServer::Start(std::move(options)));
//
// A request passes these stages: head, route, credentials, budget, body, handler, response. The
// first stage that fails rejects it, before the next one costs anything. The error response is sent
// in full, and further bytes from the client are read and discarded for a while, so that it sees
// the status and not a reset connection.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory/byte_budget.h"
#include "net/address.h"
#include "net/http/decompress.h"
#include "net/http/http_message.h"
#include "net/http/http_router.h"
#include "net/rejection.h"
#include "net/request_queues.h"

namespace flarestack::net {

class TlsFiles;

struct HttpLimits {
  uint64_t header_bytes_max = 64 << 10;  // request line and headers: 431
  uint64_t target_bytes_max = 8 << 10;   // 414
  uint64_t body_bytes_max = 64 << 20;    // as sent: 413
  DecompressLimits decompress;           // bodies with a Content-Encoding: 413
  int connections_max = 1024;            // excess: 503
  int requests_in_flight_max = 256;      // excess: 503

  std::chrono::milliseconds idle_timeout{60'000};  // between requests: closed
  std::chrono::milliseconds header_timeout{
      10'000};  // from the first byte, and the TLS handshake: 408
  std::chrono::milliseconds body_timeout{30'000};    // plus bytes / minimum rate: 408
  std::chrono::milliseconds write_timeout{30'000};   // plus bytes / minimum rate: closed
  uint64_t bytes_per_second_min = 16 << 10;          // the minimum rate; must not be 0
  std::chrono::milliseconds linger_timeout{10'000};  // for discarding input after a rejection

  std::chrono::seconds retry_after{1};  // sent in a 503
};

// Makes the body of an error from the server itself, in the encoding that clients of this port
// expect. The request may be incomplete: after a bad head all of it is empty. The server always
// sets the status, and headers such as Allow and Retry-After.
using HttpErrorHook =
    std::function<HttpResponse(int status, std::string_view message, const HttpRequest& request)>;

struct HttpServerOptions {
  Address listen{"127.0.0.1", 0};  // port 0: any free one
  std::vector<HttpRoute> routes;
  HttpLimits limits;
  int worker_threads = 8;  // for handlers
  int io_threads = 1;
  std::shared_ptr<base::ByteBudget> budget;      // null: unlimited
  RequestQueues queues;                          // its `bodies` queue uses the budget above
  std::shared_ptr<Authenticator> authenticator;  // null: open
  std::shared_ptr<TlsFiles> tls;                 // null: plain text
  HttpErrorHook error;                           // null: the message as plain text
  RejectionHook on_rejected;                     // null: not reported
};

class HttpServer {
 public:
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(HttpServerOptions options);

  // Cuts open connections and waits for running handlers.
  ~HttpServer();

  uint16_t port() const;

  // Stops accepting connections and requests. Running requests may finish within `grace`. Returns
  // kDeadlineExceeded if some did not and were cut.
  absl::Status Stop(std::chrono::milliseconds grace);

  struct Stats {
    uint64_t requests_count = 0;  // heads that were read
    uint64_t rejected_count = 0;  // of these, rejected by the server itself
    int connections = 0;
    int requests_in_flight = 0;
  };
  Stats stats() const;

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace flarestack::net
