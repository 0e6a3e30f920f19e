// SPDX-License-Identifier: Apache-2.0
#include "net/grpc_core.h"

#include <exception>
#include <utility>

#include "base/status.h"
#include "base/text.h"

namespace flarestack::net {

namespace {

// gRPC holds a client to the number of calls of a connection once that has confirmed it, and a
// hostile one never does.
constexpr int kRefusedCallsMax = 512;

}  // namespace

GrpcCore::GrpcCore(GrpcServerOptions options)
    : options_(std::move(options)), pool_(options_.worker_threads) {
  for (const GrpcMethod& method : options_.methods)
    methods_.emplace(method.path, method);
}

const GrpcMethod* GrpcCore::Find(std::string_view path) const {
  const auto found = methods_.find(path);
  return found == methods_.end() ? nullptr : &found->second;
}

absl::Status GrpcCore::BeginCall(const std::string& peer) {
  int calls = 0;
  {
    const std::lock_guard lock(mutex_);
    ++calls_count_;
    calls = ++calls_in_flight_;
  }
  if (calls > limits().calls_max + kRefusedCallsMax && cut_ != nullptr)
    cut_(peer);
  if (calls > limits().calls_max)
    return absl::UnavailableError(
        base::StrCat("more than ", limits().calls_max, " calls at the same time"));
  return absl::OkStatus();
}

void GrpcCore::EndCall() {
  const std::lock_guard lock(mutex_);
  if (--calls_in_flight_ == 0)
    emptied_.notify_all();
}

bool GrpcCore::ReserveForMessage(base::ByteLease* lease) const {
  return lease->GrowTo(usual_bytes_.load(std::memory_order_relaxed));
}

bool GrpcCore::TakeForMessage(uint64_t bytes, base::ByteLease* lease) {
  // Relaxed, and two that come at once may lose one of both: it is an estimate.
  const uint64_t usual = usual_bytes_.load(std::memory_order_relaxed);
  usual_bytes_.store(usual - usual / 8 + bytes / 8, std::memory_order_relaxed);
  lease->ShrinkTo(bytes);
  if (lease->GrowTo(bytes))
    return true;
  lease->Release();  // the call lives on until it is answered
  return false;
}

absl::Status GrpcCore::Admit(GrpcRequest& request, const GrpcMethod& method) {
  FLARE_ASSIGN(
      request.principal,
      net::Admit(options_.authenticator.get(),
                 {request.metadata.Get("authorization"), request.tls_client_name}, method.needed));
  return absl::OkStatus();
}

GrpcResponse GrpcCore::Run(GrpcRequest& request, const GrpcMethod& method) {
  try {
    return method.handler(request);
  } catch (const std::exception& e) {
    // Ours do not throw; a library below a handler may, and must not take the process along.
    return Refuse(absl::InternalError(base::StrCat("the handler failed: ", e.what())),
                  RefusalReason::kHandlerFailed);
  }
}

GrpcResponse GrpcCore::Refuse(const absl::Status& status, RefusalReason reason) {
  refused_count_.fetch_add(1, std::memory_order_relaxed);
  if (options_.on_refused != nullptr)
    options_.on_refused(absl::StatusCodeToString(status.code()), reason);
  GrpcResponse response;
  response.code = status.code();
  response.error_message = std::string(base::Message(status));
  if (options_.details != nullptr) {
    auto delay = RetryDelay(status);
    if (!delay.has_value() && status.code() == absl::StatusCode::kUnavailable)
      delay = limits().retry_after;
    response.error_details = options_.details(status, delay);
  }
  return response;
}

bool GrpcCore::WaitUntilEmpty(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return emptied_.wait_for(lock, timeout, [this] { return calls_in_flight_ == 0; });
}

GrpcServer::Stats GrpcCore::stats() const {
  const std::lock_guard lock(mutex_);
  return {.calls_count = calls_count_,
          .refused_count = refused_count_,
          .messages_count = messages_count_,
          .calls_in_flight = calls_in_flight_};
}

}  // namespace flarestack::net
