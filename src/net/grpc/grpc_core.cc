// SPDX-License-Identifier: Apache-2.0
#include "net/grpc/grpc_core.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::net {

namespace {

// gRPC enforces the limit of calls per connection only after the client has acknowledged it, and a
// hostile client never does.
constexpr int kRejectedCallsMax = 512;

// How many messages may be read concurrently while their sizes are unknown: few at first, and more
// once recent messages were small.
constexpr uint64_t kFirstReads = 4;
constexpr uint64_t kReadsMax = 64;

uint64_t FirstGuess(const GrpcServerOptions& options) {
  return options.queues.bodies == nullptr
             ? 0
             : std::min<uint64_t>(options.budget->capacity_bytes() / kFirstReads,
                                  static_cast<uint64_t>(options.limits.message_bytes_max));
}

}  // namespace

GrpcCore::GrpcCore(GrpcServerOptions options)
    : options_(std::move(options)),
      usual_bytes_(FirstGuess(options_)),
      pool_(options_.worker_threads) {
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
    const base::MutexLock lock(mutex_);
    ++calls_count_;
    calls = ++calls_in_flight_;
  }
  if (calls > limits().calls_max + kRejectedCallsMax && cut_ != nullptr)
    cut_(peer);
  if (calls > limits().calls_max)
    return absl::UnavailableError(
        base::StrCat("more than ", limits().calls_max, " concurrent calls"));
  return absl::OkStatus();
}

void GrpcCore::EndCall() {
  const base::MutexLock lock(mutex_);
  if (--calls_in_flight_ == 0)
    emptied_.NotifyAll();
}

void GrpcCore::ReserveForMessage(base::ByteLease* lease, std::function<void(bool)> next) const {
  uint64_t bytes = usual_bytes_.load(std::memory_order_relaxed);
  if (options_.queues.bodies == nullptr)
    return next(lease->GrowTo(bytes));
  bytes = std::max(bytes, options_.budget->capacity_bytes() / kReadsMax);
  const auto until = std::chrono::steady_clock::now() + options_.queues.timeout;
  options_.queues.bodies->Wait({.lease = lease, .bytes = bytes, .until = until}, std::move(next));
}

uint64_t GrpcCore::WorkBytes(const GrpcMethod& method, uint64_t message_bytes) const {
  const uint64_t bytes =
      method.memory_need == nullptr ? message_bytes : method.memory_need(message_bytes);
  return options_.queues.AtMostAll(std::max(bytes, message_bytes));
}

bool GrpcCore::TakeForMessage(uint64_t bytes, base::ByteLease* lease) {
  // Relaxed, and concurrent updates may be lost: this is only an estimate.
  const uint64_t usual = usual_bytes_.load(std::memory_order_relaxed);
  const uint64_t lower = usual - usual / 8;
  // If calls queue, a high estimate only limits how many large messages are read at once. If calls
  // are rejected instead, a large message must not cause small ones after it to be rejected.
  usual_bytes_.store(options_.queues.bodies != nullptr ? std::max(bytes, lower) : lower + bytes / 8,
                     std::memory_order_relaxed);
  lease->ShrinkTo(bytes);
  lease->ShrinkReserve(bytes);
  if (lease->GrowTo(bytes))
    return true;
  lease->Release();  // the call lives until its response is sent
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
    // Our handlers do not throw. A library they use may, and must not crash the process.
    return Reject(absl::InternalError(base::StrCat("the handler failed: ", e.what())),
                  RejectionReason::kHandlerFailed);
  }
}

GrpcResponse GrpcCore::Reject(const absl::Status& status, RejectionReason reason) {
  rejected_count_.fetch_add(1, std::memory_order_relaxed);
  if (options_.on_rejected != nullptr)
    options_.on_rejected(absl::StatusCodeToString(status.code()), reason);
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
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  const base::MutexLock lock(mutex_);
  while (calls_in_flight_ > 0 && emptied_.WaitUntil(mutex_, deadline)) {
  }
  return calls_in_flight_ == 0;
}

GrpcServer::Stats GrpcCore::stats() const {
  const base::MutexLock lock(mutex_);
  return {.calls_count = calls_count_,
          .rejected_count = rejected_count_,
          .messages_count = messages_count_,
          .calls_in_flight = calls_in_flight_};
}

}  // namespace flarestack::net
