// SPDX-License-Identifier: Apache-2.0
//
// What the calls of one gRPC server share, and the decisions that need no gRPC. Internal to the
// gRPC server. Thread-safe.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "net/grpc/grpc_server.h"
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

  // Counts a call in; kUnavailable when there are too many. EndCall() in any case. Calls that are
  // being refused take memory too: where they pile up, whoever opens another one is cut.
  absl::Status BeginCall(const std::string& peer);
  void EndCall();
  void CountMessage() { messages_count_.fetch_add(1, std::memory_order_relaxed); }

  // gRPC reads a message before anybody knows how large it is. So a call first takes room for one
  // of the usual size from the budget, and the rest when it is there.
  // `next` is called at once, or when the call's turn has come; with false when that took too long.
  void ReserveForMessage(base::ByteLease* lease, std::function<void(bool is_granted)> next) const;
  // False when there is no room for the message as it is; then nothing is held.
  bool TakeForMessage(uint64_t bytes, base::ByteLease* lease);

  // What to have before a message is worked on.
  uint64_t WorkBytes(const GrpcMethod& method, uint64_t message_bytes) const;

  absl::Status Admit(GrpcRequest& request, const GrpcMethod& method);
  GrpcResponse Run(GrpcRequest& request, const GrpcMethod& method);

  // An error of the server itself. kUnavailable carries the delay of the limits, unless it has one.
  GrpcResponse Refuse(const absl::Status& status, RefusalReason reason);

  // How a connection is cut, by the address of its peer. Set before the first call.
  void set_cut(std::function<void(const std::string& peer)> cut) { cut_ = std::move(cut); }

  bool WaitUntilEmpty(std::chrono::milliseconds timeout);
  GrpcServer::Stats stats() const;

 private:
  const GrpcServerOptions options_;
  std::map<std::string, GrpcMethod, std::less<>> methods_;
  std::function<void(const std::string&)> cut_;
  std::atomic<uint64_t> refused_count_ = 0;
  std::atomic<uint64_t> messages_count_ = 0;
  std::atomic<uint64_t> usual_bytes_;  // of a large message among the last ones

  mutable std::mutex mutex_;
  std::condition_variable emptied_;
  uint64_t calls_count_ = 0;  // guarded by mutex_
  int calls_in_flight_ = 0;   // guarded by mutex_

  WorkerPool pool_;  // last: its threads use the rest
};

}  // namespace flarestack::net
