// SPDX-License-Identifier: Apache-2.0
//
// State shared by the calls of one gRPC server, and the decisions that do not need gRPC. Internal
// to the gRPC server. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "net/grpc/grpc_server.h"
#include "net/worker_pool.h"

namespace flarestack::net {

class GrpcCore {
 public:
  explicit GrpcCore(GrpcServerOptions options);

  const GrpcLimits& limits() const { return options_.limits; }
  const GrpcServerOptions& options() const { return options_; }
  WorkerPool& pool() { return pool_; }

  // Returns null for an unknown method.
  const GrpcMethod* Find(std::string_view path) const;

  // Counts the call. Returns kUnavailable if there are too many; EndCall() is required in any case.
  // Rejected calls use memory too: when too many pile up, the connection that opens another one is
  // cut.
  absl::Status BeginCall(const std::string& peer);
  void EndCall();
  void CountMessage() { messages_count_.fetch_add(1, std::memory_order_relaxed); }

  // gRPC reads a message before its size is known. So a call first reserves the usual size from the
  // budget, and the rest once the message has arrived. Calls `next` immediately or when it is the
  // call's turn, with false if there is no room or the wait took too long.
  void ReserveForMessage(base::ByteLease* lease, std::function<void(bool is_granted)> next) const;
  // Adjusts the lease to the actual size of the message. Returns false and releases the lease if
  // there is no room.
  bool TakeForMessage(uint64_t bytes, base::ByteLease* lease);

  // The memory to acquire before a message is processed.
  uint64_t WorkBytes(const GrpcMethod& method, uint64_t message_bytes) const;

  absl::Status Admit(GrpcRequest& request, const GrpcMethod& method);
  GrpcResponse Run(GrpcRequest& request, const GrpcMethod& method);

  // Makes an error response from the server itself. kUnavailable without a delay gets the one from
  // the limits.
  GrpcResponse Reject(const absl::Status& status, RejectionReason reason);

  // `cut` closes the connection with the given peer address. Set it before the first call.
  void set_cut(std::function<void(const std::string& peer)> cut) { cut_ = std::move(cut); }

  bool WaitUntilEmpty(std::chrono::milliseconds timeout);
  GrpcServer::Stats stats() const;

 private:
  const GrpcServerOptions options_;
  std::map<std::string, GrpcMethod, std::less<>> methods_;
  std::function<void(const std::string&)> cut_;
  std::atomic<uint64_t> rejected_count_ = 0;
  std::atomic<uint64_t> messages_count_ = 0;
  std::atomic<uint64_t> usual_bytes_;  // size of a large message among recent ones

  mutable base::Mutex mutex_;
  base::CondVar emptied_;
  uint64_t calls_count_ FLARE_GUARDED_BY(mutex_) = 0;
  int calls_in_flight_ FLARE_GUARDED_BY(mutex_) = 0;

  WorkerPool pool_;  // last: its threads use the other members
};

}  // namespace flarestack::net
