// SPDX-License-Identifier: Apache-2.0
#include "net/grpc/grpc_server.h"

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
#include "base/text/text.h"
#include "net/grpc/grpc_call.h"
#include "net/grpc/grpc_credentials.h"
#include "net/grpc/grpc_listener.h"

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

// gRPC writes to standard error whenever a client sends garbage. Errors that matter reach us as a
// status, except for the message of a failed assertion before the process aborts.
void OnGrpcLog(gpr_log_func_args* entry) {
  if (std::string_view(entry->message).starts_with("assertion failed"))
    std::fprintf(stderr, "%s:%d: %s\n", entry->file, entry->line, entry->message);
}

void SilenceLog() {
  static std::once_flag once;
  std::call_once(once, [] { gpr_set_log_function(OnGrpcLog); });
}

constexpr int kReadBytesMax = 32 << 10;

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
  // gRPC parses each read as a whole. With the default of 4 MiB, a flood of calls would have
  // allocated all of its memory before it can be stopped.
  builder->AddChannelArgument(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, kReadBytesMax);
  // A queued call buffers the first 64 KiB of its message. With the BDP probe, gRPC would buffer
  // more and more of it ahead, up to the whole message. Once a message is read, the window is the
  // size of the message.
  builder->AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  grpc::ResourceQuota quota;
  quota.Resize(limits.transport_bytes_max);
  builder->SetResourceQuota(quota);
}

}  // namespace

struct GrpcServer::Impl {
  explicit Impl(GrpcServerOptions options) : core(std::move(options)), service(&core) {}

  // Shutdown() waits for the handlers, so it runs on a separate thread: Stop() must not exceed its
  // grace period.
  void BeginShutdown(std::chrono::milliseconds grace) {
    if (shutdown.joinable())
      return;
    listener->Stop();
    const auto deadline = std::chrono::system_clock::now() + grace;
    shutdown = std::thread([this, deadline] { server->Shutdown(deadline); });
  }

  void Accept() {
    GrpcListenerOptions accepting;
    accepting.connections_max = core.limits().connections_max;
    accepting.hand_over = [this](int listener_fd, int fd) {
      grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
      connection.listener_fd = listener_fd;
      connection.fd = fd;
      acceptor->HandleNewConnection(&connection);
    };
    accepting.on_rejected = [this] {
      if (core.options().on_rejected != nullptr)
        core.options().on_rejected("", RejectionReason::kConnections);
    };
    core.set_cut([this](const std::string& peer) {
      if (listener->Cut(peer) && core.options().on_rejected != nullptr)
        core.options().on_rejected("", RejectionReason::kRequests);
    });
    listener->Start(std::move(accepting));
  }

  GrpcCore core;
  Service service;
  std::shared_ptr<grpc::ServerCredentials> credentials;  // the server fetches certificates from it
  std::unique_ptr<GrpcListener> listener;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor;
  std::unique_ptr<grpc::Server> server;
  std::thread shutdown;
};

GrpcServer::GrpcServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(GrpcServerOptions options) {
  if (options.worker_threads < 1)
    return absl::InvalidArgumentError("the number of threads must be positive");
  SilenceLog();
  auto impl = std::make_unique<Impl>(std::move(options));
  const GrpcServerOptions& kept = impl->core.options();
  grpc::ServerBuilder builder;
  SetLimits(kept.limits, &builder);
  impl->credentials =
      kept.tls == nullptr ? grpc::InsecureServerCredentials() : GrpcTlsCredentials(kept.tls);
  FLARE_ASSIGN(impl->listener, GrpcListener::Open(kept.listen));
  impl->acceptor = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, impl->credentials);
  builder.RegisterCallbackGenericService(&impl->service);
  impl->server = builder.BuildAndStart();
  if (impl->server == nullptr)
    return absl::InternalError("gRPC did not start");
  impl->Accept();
  return std::unique_ptr<GrpcServer>(new GrpcServer(std::move(impl)));
}

GrpcServer::~GrpcServer() {
  impl_->BeginShutdown(std::chrono::milliseconds(0));
  impl_->shutdown.join();
}

uint16_t GrpcServer::port() const { return impl_->listener->port(); }

absl::Status GrpcServer::Stop(std::chrono::milliseconds grace) {
  impl_->BeginShutdown(grace);
  if (impl_->core.WaitUntilEmpty(grace))
    return absl::OkStatus();
  return absl::DeadlineExceededError(
      base::StrCat(stats().calls_in_flight, " calls did not finish in time"));
}

GrpcServer::Stats GrpcServer::stats() const {
  Stats stats = impl_->core.stats();
  stats.connections = impl_->listener->connections();
  return stats;
}

}  // namespace flarestack::net
