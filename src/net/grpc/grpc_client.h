// SPDX-License-Identifier: Apache-2.0
//
// A client for unary gRPC methods, bytes in and bytes out. Thread-safe; one object is one channel,
// which connects when it is needed and again after a failure.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "net/http/decompress.h"
#include "net/http/http_message.h"

namespace flarestack::net {

struct GrpcClientOptions {
  std::string target;  // HOST:PORT
  bool use_tls = false;
  std::string ca_pem;           // who may sign the server's certificate; empty: the system's list
  std::string certificate_pem;  // our own, for servers that ask; empty: none
  std::string key_pem;
  DecompressLimits response = {.bytes_max = 4 << 20};  // also the limit as sent
};

struct GrpcCallOptions {
  HttpHeaders metadata;
  std::chrono::milliseconds timeout{10'000};
  bool gzip = false;
};

struct GrpcResult {
  absl::StatusCode code = absl::StatusCode::kOk;
  std::string error_message;
  std::string error_details;  // grpc-status-details-bin
  std::string message;
  HttpHeaders trailing_metadata;
};

class GrpcClient {
 public:
  // kInvalidArgument for a certificate without a key or the reverse. Does not connect.
  static absl::StatusOr<std::unique_ptr<GrpcClient>> Create(GrpcClientOptions options);
  ~GrpcClient();

  // Blocks until there is an answer or the time is up. A failure of the network is a result with
  // the code gRPC gives it (kUnavailable, kDeadlineExceeded).
  GrpcResult Call(const std::string& method, std::string_view message,
                  const GrpcCallOptions& options = {});

 private:
  struct Impl;
  explicit GrpcClient(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace flarestack::net
