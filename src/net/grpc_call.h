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

#include "net/grpc_core.h"

namespace flarestack::net {

// Deletes itself when gRPC is done with it.
//
// gRPC calls it on its own threads; whatever may take time is handed to the pool. Answer() is
// called by whoever is first, the worker or the clock.
class GrpcCall final : public grpc::ServerGenericBidiReactor {
 public:
  GrpcCall(grpc::GenericCallbackServerContext* context, GrpcCore* core);
  ~GrpcCall() override;

  void Start();

  void OnReadDone(bool ok) override;
  void OnSendInitialMetadataDone(bool ok) override;
  void OnDone() override;

 private:
  // Outlives the call, because the clock may strike while it ends.
  struct Clock {
    std::mutex mutex;
    GrpcCall* call;  // guarded by mutex; null at the end
  };

  absl::Status TakeMetadata();
  void StartReading();
  void Serve();
  bool IsFirstToAnswer();
  void Answer(const GrpcResponse& response);
  void Refuse(const absl::Status& status, RefusalReason reason);
  void Send(const GrpcResponse& response);

  grpc::GenericCallbackServerContext* const context_;
  GrpcCore* const core_;
  const GrpcMethod* method_ = nullptr;
  grpc::ByteBuffer received_;
  grpc::ByteBuffer sent_;
  std::optional<grpc::Status> failure_;  // sent behind the headers
  GrpcRequest request_;
  const std::shared_ptr<Clock> clock_;
  grpc::Alarm alarm_;
  std::mutex answer_mutex_;
  bool is_answered_ = false;  // guarded by answer_mutex_
};

}  // namespace flarestack::net
