// SPDX-License-Identifier: Apache-2.0
#include "net/grpc_server.h"

#include <grpc/support/log.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <cstdio>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "base/status.h"
#include "base/text.h"
#include "net/grpc_call.h"
#include "net/grpc_credentials.h"

namespace flarestack::net {
namespace {

class Service final : public grpc::CallbackGenericService {
 public:
  explicit Service(GrpcCore* core) : core_(core) {}

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    auto* call = new GrpcCall(context, core_);  // deletes itself in OnDone
    call->Start();
    return call;
  }

 private:
  GrpcCore* const core_;
};

// gRPC writes to standard error whenever a client sends it nonsense. What matters comes to us as a
// status, except for the last words of the process.
void OnGrpcLog(gpr_log_func_args* entry) {
  if (std::string_view(entry->message).starts_with("assertion failed"))
    std::fprintf(stderr, "%s:%d: %s\n", entry->file, entry->line, entry->message);
}

void SilenceLog() {
  static std::once_flag once;
  std::call_once(once, [] { gpr_set_log_function(OnGrpcLog); });
}

int Milliseconds(std::chrono::milliseconds time) { return static_cast<int>(time.count()); }

void SetLimits(const GrpcLimits& limits, grpc::ServerBuilder* builder) {
  builder->SetMaxReceiveMessageSize(limits.message_bytes_max);
  builder->AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  builder->AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, limits.header_bytes_max);
  builder->AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, limits.calls_per_connection_max);
  builder->AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                              Milliseconds(limits.handshake_timeout));
  builder->AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, Milliseconds(limits.idle_timeout));
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(limits.keepalive_time));
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                              Milliseconds(limits.keepalive_timeout));
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                              Milliseconds(limits.ping_interval_min));
  // Otherwise a second server on the same port takes half of the calls, silently.
  builder->AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  grpc::ResourceQuota quota;
  quota.Resize(limits.transport_bytes_max);
  builder->SetResourceQuota(quota);
}

std::string ListenText(const Address& address) {
  return ToString(address.host.empty() ? Address{"::", address.port} : address);
}

}  // namespace

struct GrpcServer::Impl {
  explicit Impl(GrpcServerOptions options) : core(std::move(options)), service(&core) {}

  // Shutdown() waits for the handlers, so it has a thread of its own: Stop() shall keep its time.
  void BeginShutdown(std::chrono::milliseconds grace) {
    if (shutdown.joinable())
      return;
    const auto deadline = std::chrono::system_clock::now() + grace;
    shutdown = std::thread([this, deadline] { server->Shutdown(deadline); });
  }

  GrpcCore core;
  Service service;
  std::shared_ptr<grpc::ServerCredentials> credentials;  // asked for certificates by the server
  std::unique_ptr<grpc::Server> server;
  std::thread shutdown;
  int port = 0;
};

GrpcServer::GrpcServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(GrpcServerOptions options) {
  if (options.worker_threads < 1)
    return absl::InvalidArgumentError("the threads must be above 0");
  SilenceLog();
  auto impl = std::make_unique<Impl>(std::move(options));
  const GrpcServerOptions& kept = impl->core.options();
  grpc::ServerBuilder builder;
  SetLimits(kept.limits, &builder);
  impl->credentials =
      kept.tls == nullptr ? grpc::InsecureServerCredentials() : GrpcTlsCredentials(kept.tls);
  builder.AddListeningPort(ListenText(kept.listen), impl->credentials, &impl->port);
  builder.RegisterCallbackGenericService(&impl->service);
  impl->server = builder.BuildAndStart();
  if (impl->server == nullptr || impl->port == 0) {
    return absl::UnavailableError(
        base::StrCat("cannot listen on ", ToString(kept.listen),
                     ": the port is in use or not permitted, or the host is not this machine"));
  }
  return std::unique_ptr<GrpcServer>(new GrpcServer(std::move(impl)));
}

GrpcServer::~GrpcServer() {
  impl_->BeginShutdown(std::chrono::milliseconds(0));
  impl_->shutdown.join();
}

uint16_t GrpcServer::port() const { return static_cast<uint16_t>(impl_->port); }

absl::Status GrpcServer::Stop(std::chrono::milliseconds grace) {
  impl_->BeginShutdown(grace);
  if (impl_->core.WaitUntilEmpty(grace))
    return absl::OkStatus();
  return absl::DeadlineExceededError(
      base::StrCat(stats().calls_in_flight, " calls did not finish in time"));
}

GrpcServer::Stats GrpcServer::stats() const { return impl_->core.stats(); }

}  // namespace flarestack::net
