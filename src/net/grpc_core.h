// SPDX-License-Identifier: Apache-2.0
//
// What the calls of one gRPC server share, and the decisions that need no gRPC. Internal to the
// gRPC server. Thread-safe.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "net/grpc_server.h"
#include "net/worker_pool.h"

namespace flarestack::net {

class GrpcCore {
 public:
  explicit GrpcCore(GrpcServerOptions options);

  const GrpcLimits& limits() const { return options_.limits; }
  const GrpcServerOptions& options() const { return options_; }
  WorkerPool& pool() { return pool_; }

  // Null for an unknown method.
  const GrpcMethod* Find(std::string_view path) const;

  // Counts a call in; kUnavailable when there are too many. EndCall() in any case.
  absl::Status BeginCall();
  void EndCall();

  absl::Status Admit(GrpcRequest& request, const GrpcMethod& method);
  GrpcResponse Run(GrpcRequest& request, const GrpcMethod& method);

  // An error of the server itself. kUnavailable carries the delay of the limits, unless it has one.
  GrpcResponse Refuse(const absl::Status& status);

  bool WaitUntilEmpty(std::chrono::milliseconds timeout);
  GrpcServer::Stats stats() const;

 private:
  const GrpcServerOptions options_;
  std::map<std::string, GrpcMethod, std::less<>> methods_;
  std::atomic<uint64_t> refused_count_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable emptied_;
  uint64_t calls_count_ = 0;  // guarded by mutex_
  int calls_in_flight_ = 0;   // guarded by mutex_

  WorkerPool pool_;  // last: its threads use the rest
};

}  // namespace flarestack::net
