// SPDX-License-Identifier: Apache-2.0
#include "server/ingest/otlp_grpc.h"

#include "base/status.h"
#include "model/signal.h"
#include "server/limits/limits.h"

namespace flarestack::server {
namespace {

using codec::otlp::Encoding;
using model::Signal;

net::GrpcResponse Export(OtlpIntake* intake, Signal signal, net::GrpcRequest& request) {
  const pipeline::OtlpResponse outcome =
      intake->Receive({request.metadata, request.principal}, {.signal = signal,
                                                              .encoding = Encoding::kProtobuf,
                                                              .body = request.message,
                                                              .peer = request.remote_address,
                                                              .lease = &request.lease,
                                                              .begin_by = request.begin_by});
  net::GrpcResponse response;
  if (outcome.status.ok()) {
    response.message = EncodeExportResponse(signal, outcome.partial_success, Encoding::kProtobuf);
    return response;
  }
  response.code = outcome.status.code();
  response.error_message = base::Message(outcome.status);
  const auto delay =
      outcome.may_retry ? std::optional<std::chrono::milliseconds>(kRetryDelay) : std::nullopt;
  response.error_details = OtlpGrpcDetails(outcome.status, delay);
  return response;
}

}  // namespace

std::string_view OtlpGrpcMethod(Signal signal) {
  switch (signal) {
    case Signal::kTraces:
      return "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
    case Signal::kMetrics:
      return "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";
    case Signal::kLogs:
      return "/opentelemetry.proto.collector.logs.v1.LogsService/Export";
    case Signal::kProfiles:
      return "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export";
  }
  return "";
}

std::vector<net::GrpcMethod> OtlpGrpcMethods(OtlpIntake* intake) {
  std::vector<net::GrpcMethod> methods;
  for (const Signal signal :
       {Signal::kTraces, Signal::kMetrics, Signal::kLogs, Signal::kProfiles}) {
    methods.push_back(
        {.path = std::string(OtlpGrpcMethod(signal)),
         .handler = [intake, signal](net::GrpcRequest& r) { return Export(intake, signal, r); },
         .needed = net::Role::kWrite,
         .memory_need =
             [intake, signal](uint64_t bytes) {
               return intake->MemoryNeed(signal, Encoding::kProtobuf, bytes);
             }});
  }
  return methods;
}

std::string OtlpGrpcDetails(const absl::Status& status,
                            std::optional<std::chrono::milliseconds> retry_delay) {
  codec::otlp::RpcStatus rpc = codec::otlp::RpcStatusOf(status);
  if (retry_delay.has_value())
    rpc.retry_delay = *retry_delay;
  return EncodeRpcStatus(rpc, Encoding::kProtobuf);
}

}  // namespace flarestack::server
