// SPDX-License-Identifier: Apache-2.0
#include "net/grpc/grpc_client.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>

#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "base/text/text.h"
#include "net/grpc/grpc_encoding.h"

namespace flarestack::net {
namespace {

// Waits for the result, which gRPC delivers on its own thread.
class Pending {
 public:
  void Done(GrpcResult result) {
    const base::MutexLock lock(mutex_);
    result_ = std::move(result);
    is_done_ = true;
    changed_.NotifyAll();
  }
  GrpcResult Wait() {
    const base::MutexLock lock(mutex_);
    while (!is_done_)
      changed_.Wait(mutex_);
    return std::move(result_);
  }

 private:
  base::Mutex mutex_;
  base::CondVar changed_;
  GrpcResult result_ FLARE_GUARDED_BY(mutex_);
  bool is_done_ FLARE_GUARDED_BY(mutex_) = false;
};

// Everything except the message. Copied on gRPC's thread, because sanitizers cannot see how gRPC
// synchronizes its memory with other threads.
GrpcResult ResultOf(const grpc::Status& status, const grpc::ClientContext& context) {
  GrpcResult result = {.code = static_cast<absl::StatusCode>(status.error_code()),
                       .error_message = status.error_message(),
                       .error_details = status.error_details()};
  for (const auto& [name, value] : context.GetServerTrailingMetadata())
    result.trailing_metadata.Add({name.data(), name.size()}, {value.data(), value.size()});
  return result;
}

std::shared_ptr<grpc::ChannelCredentials> CredentialsFor(const GrpcClientOptions& options) {
  if (!options.use_tls)
    return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({.pem_root_certs = options.ca_pem,
                               .pem_private_key = options.key_pem,
                               .pem_cert_chain = options.certificate_pem});
}

grpc::ChannelArguments ArgumentsFor(const GrpcClientOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(static_cast<int>(options.response.bytes_max));
  // A server could send a decompression bomb just as a client could.
  arguments.SetInt(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  // The caller decides about retries, and clients with different certificates must not share
  // connections.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return arguments;
}

}  // namespace

struct GrpcClient::Impl {
  Impl(GrpcClientOptions client_options, std::shared_ptr<grpc::Channel> channel)
      : options(std::move(client_options)), stub(std::move(channel)) {}

  GrpcClientOptions options;
  grpc::GenericStub stub;
};

GrpcClient::GrpcClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

GrpcClient::~GrpcClient() = default;

absl::StatusOr<std::unique_ptr<GrpcClient>> GrpcClient::Create(GrpcClientOptions options) {
  if (options.certificate_pem.empty() != options.key_pem.empty())
    return absl::InvalidArgumentError("a client certificate and its key must be set together");
  auto channel =
      grpc::CreateCustomChannel(options.target, CredentialsFor(options), ArgumentsFor(options));
  return std::unique_ptr<GrpcClient>(
      new GrpcClient(std::make_unique<Impl>(std::move(options), std::move(channel))));
}

GrpcResult GrpcClient::Call(const std::string& method, std::string_view message,
                            const GrpcCallOptions& options) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + options.timeout);
  for (const auto& [name, value] : options.metadata) {
    if (!IsLegalGrpcMetadata(name, value))
      return {.code = absl::StatusCode::kInvalidArgument,
              .error_message = base::StrCat("gRPC cannot send a header named '", name, "'")};
    context.AddMetadata(name, value);
  }
  if (options.gzip)
    context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
  const grpc::Slice slice(message.data(), message.size());
  const grpc::ByteBuffer request(&slice, 1);
  grpc::ByteBuffer response;
  Pending pending;
  impl_->stub.UnaryCall(
      &context, method, grpc::StubOptions(), &request, &response,
      [&](const grpc::Status& status) { pending.Done(ResultOf(status, context)); });
  GrpcResult result = pending.Wait();
  if (result.code != absl::StatusCode::kOk)
    return result;
  base::ByteLease lease;
  auto taken = TakeGrpcMessage(context.c_call(), &response, impl_->options.response, &lease);
  if (taken.ok()) {
    result.message = *std::move(taken);
  } else {
    result.code = taken.status().code();
    result.error_message = std::string(base::Message(taken.status()));
  }
  return result;
}

}  // namespace flarestack::net
