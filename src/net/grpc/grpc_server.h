// SPDX-License-Identifier: Apache-2.0
//
// A gRPC server for unary methods, bytes in and bytes out: the handlers decode the messages.
//
//   GrpcServerOptions options;
//   options.methods = {{"/pkg.Service/Export", Export, Role::kWrite}};
//   FLARE_ASSIGN(auto server, GrpcServer::Start(std::move(options)));
//
// gRPC's own decompression is switched off, because gRPC 1.51 inflates a message without a limit;
// see grpc_encoding.h. Handlers run on our worker threads and may block. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory/byte_budget.h"
#include "net/address.h"
#include "net/http/decompress.h"
#include "net/http/http_message.h"
#include "net/principal.h"
#include "net/rejection.h"
#include "net/request_queues.h"

namespace flarestack::net {

class TlsFiles;

struct GrpcRequest {
  std::string method;    // "/package.Service/Method"
  HttpHeaders metadata;  // values are raw bytes if the name ends in -bin
  std::string message;   // decompressed
  std::string remote_address;
  std::string tls_client_name;
  Principal principal;
  // Set by the client; far in the future if it set none.
  std::chrono::system_clock::time_point deadline;

  // As in HttpRequest: a handler that keeps the message must keep the lease with it.
  base::ByteLease lease;

  // A handler that has not started by this time returns kUnavailable instead.
  std::chrono::steady_clock::time_point begin_by = std::chrono::steady_clock::time_point::max();
};

// absl::Status and gRPC use the same codes.
struct GrpcResponse {
  absl::StatusCode code = absl::StatusCode::kOk;
  std::string error_message;
  std::string error_details;  // a google.rpc.Status, sent as grpc-status-details-bin
  std::string message;        // sent when the code is OK
  HttpHeaders trailing_metadata;
};

// Runs on a worker thread and may block.
using GrpcHandler = std::function<GrpcResponse(GrpcRequest& request)>;

struct GrpcMethod {
  std::string path;
  GrpcHandler handler;
  Role needed = Role::kNone;
  // Memory needed to handle a message of this size, including the message; null: only the message.
  std::function<uint64_t(uint64_t message_bytes)> memory_need;
};

struct GrpcLimits {
  int message_bytes_max = 64 << 20;  // as sent; RESOURCE_EXHAUSTED
  DecompressLimits decompress;       // RESOURCE_EXHAUSTED
  int connections_max = 1024;        // excess connections are closed
  int calls_max = 256;               // concurrent; UNAVAILABLE
  int calls_per_connection_max = 100;
  int header_bytes_max = 16 << 10;  // RESOURCE_EXHAUSTED

  std::chrono::milliseconds message_timeout{60'000};    // until the message is complete
  std::chrono::milliseconds handshake_timeout{10'000};  // TLS and HTTP/2
  std::chrono::milliseconds idle_timeout{300'000};      // a connection without calls
  std::chrono::milliseconds keepalive_time{60'000};     // of inactivity before we ping the peer
  std::chrono::milliseconds keepalive_timeout{20'000};
  std::chrono::milliseconds ping_interval_min{10'000};  // a client that pings more often is cut
  uint64_t transport_bytes_max = 512 << 20;             // gRPC's own buffers

  std::chrono::milliseconds retry_after{1'000};  // in the details of UNAVAILABLE
};

// Makes `error_details` for an error from the server itself.
using GrpcDetailsHook = std::function<std::string(
    const absl::Status& status, std::optional<std::chrono::milliseconds> retry_delay)>;

struct GrpcServerOptions {
  Address listen{"127.0.0.1", 0};  // port 0: any free one
  std::vector<GrpcMethod> methods;
  GrpcLimits limits;
  int worker_threads = 8;
  std::shared_ptr<base::ByteBudget> budget;      // null: unlimited
  RequestQueues queues;                          // its `bodies` queue uses the budget above
  std::shared_ptr<Authenticator> authenticator;  // null: open
  std::shared_ptr<TlsFiles> tls;                 // null: plain text
  GrpcDetailsHook details;                       // null: none
  RejectionHook on_rejected;                     // null: not reported
};

class GrpcServer {
 public:
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(GrpcServerOptions options);

  // Cuts open connections and waits for running handlers.
  ~GrpcServer();

  uint16_t port() const;

  // Stops accepting calls. Running calls may finish within `grace`. Returns kDeadlineExceeded if
  // some did not and were cut.
  absl::Status Stop(std::chrono::milliseconds grace);

  struct Stats {
    uint64_t calls_count = 0;
    uint64_t rejected_count = 0;  // of these, rejected by the server itself
    // Complete messages, including those that arrived after the timeout.
    uint64_t messages_count = 0;
    int calls_in_flight = 0;
    int connections = 0;
  };
  Stats stats() const;

 private:
  struct Impl;
  explicit GrpcServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace flarestack::net
