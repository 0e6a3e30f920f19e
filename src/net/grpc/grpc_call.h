// SPDX-License-Identifier: Apache-2.0
//
// One call, from its first header to its trailers. Internal to the gRPC server; includes gRPC, and
// is included by grpc_server.cc and grpc_call.cc alone.
#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/generic/async_generic_service.h>

#include <memory>
#include <mutex>
#include <optional>

#include "net/grpc/grpc_core.h"

namespace flarestack::net {

// Deletes itself when gRPC is done with it.
//
// gRPC calls it on its own threads; whatever may take time is handed to the pool. From the start of
// the read until its end the call belongs to nobody: the message and the message timeout each try
// to claim it. The one that does answers it, exactly once; the other must leave it alone, because
// the call may be deleted as soon as it is answered.
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
    std::mutex mutex;
    bool is_taken = false;  // guarded by mutex
  };

  absl::Status TakeMetadata();
  void StartReading();
  void ReadMessage();
  void AwaitWork();
  void Serve();
  absl::Status TakeMessage();
  void Refuse(const absl::Status& status, RefusalReason reason);
  void Send(const GrpcResponse& response);

  grpc::GenericCallbackServerContext* const context_;
  GrpcCore* const core_;
  const GrpcMethod* method_ = nullptr;
  grpc::ByteBuffer received_;
  grpc::ByteBuffer sent_;
  std::optional<grpc::Status> failure_;  // sent behind the headers
  GrpcRequest request_;
  std::chrono::steady_clock::duration queued_{};  // until its message could be read
  base::ByteLease work_;                          // while it is handled
  bool is_too_late_ = false;                      // it waited for that, and did not get it in time
  const std::shared_ptr<Claim> claim_ = std::make_shared<Claim>();
  grpc::Alarm alarm_;
};

}  // namespace flarestack::net
