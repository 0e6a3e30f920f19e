// SPDX-License-Identifier: Apache-2.0
//
// A client for unary gRPC methods, bytes in and bytes out. Thread-safe. One object is one channel,
// which connects on demand and reconnects after a failure.
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
  std::string ca_pem;  // trusted signers of the server's certificate; empty: the system's list
  std::string certificate_pem;  // our own, for servers that require one; empty: none
  std::string key_pem;
  DecompressLimits response = {.bytes_max = 4 << 20};  // also limits the compressed size
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
  // Returns kInvalidArgument for a certificate without a key or the reverse. Does not connect.
  static absl::StatusOr<std::unique_ptr<GrpcClient>> Create(GrpcClientOptions options);
  ~GrpcClient();

  // Blocks until the response arrives or the timeout expires. A network failure is a result with
  // the code that gRPC assigns (kUnavailable, kDeadlineExceeded).
  GrpcResult Call(const std::string& method, std::string_view message,
                  const GrpcCallOptions& options = {});

 private:
  struct Impl;
  explicit GrpcClient(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace flarestack::net
