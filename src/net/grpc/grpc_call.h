// SPDX-License-Identifier: Apache-2.0
//
// One call, from its first header to its trailers. Internal to the gRPC server. Includes gRPC, so
// only grpc_server.cc and grpc_call.cc include it.
#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/generic/async_generic_service.h>

#include <memory>
#include <optional>

#include "base/mutex.h"
#include "net/grpc/grpc_core.h"

namespace flarestack::net {

// Deletes itself when gRPC is done with it.
//
// gRPC calls it on gRPC's threads; slow work is posted to the pool. While the read is pending,
// nothing owns the call: the message and the message timeout each try to claim it. The winner sends
// the response, exactly once. The loser must not touch the call, which may be deleted as soon as
// the response is sent.
class GrpcCall final : public grpc::ServerGenericBidiReactor {
 public:
  GrpcCall(grpc::GenericCallbackServerContext* context, GrpcCore* core);
  ~GrpcCall() override;

  void Start();

  void OnReadDone(bool ok) override;
  void OnSendInitialMetadataDone(bool ok) override;
  void OnDone() override;

 private:
  // Outlives the call, because the timeout may fire while the call ends.
  struct Claim {
    base::Mutex mutex;
    bool is_taken FLARE_GUARDED_BY(mutex) = false;
  };

  absl::Status TakeMetadata();
  void StartReading();
  void ReadMessage();
  void AwaitWork();
  void Serve();
  absl::Status TakeMessage();
  void Reject(const absl::Status& status, RejectionReason reason);
  void Send(const GrpcResponse& response);

  grpc::GenericCallbackServerContext* const context_;
  GrpcCore* const core_;
  const GrpcMethod* method_ = nullptr;
  grpc::ByteBuffer received_;
  grpc::ByteBuffer sent_;
  std::optional<grpc::Status> failure_;  // sent after the headers
  GrpcRequest request_;
  std::chrono::steady_clock::duration queued_{};  // wait before its message could be read
  base::ByteLease work_;                          // memory while it is handled
  bool is_too_late_ = false;                      // it did not get work_ in time
  const std::shared_ptr<Claim> claim_ = std::make_shared<Claim>();
  grpc::Alarm alarm_;
};

}  // namespace flarestack::net
