// SPDX-License-Identifier: Apache-2.0
#include "net/grpc/grpc_call.h"

#include <grpcpp/security/auth_context.h>

#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/text/text.h"
#include "net/grpc/grpc_encoding.h"
#include "net/http/http_target.h"

namespace flarestack::net {
namespace {

// The overhead of a header beyond its name and value: RFC 7541, section 4.1.
constexpr size_t kHeaderEntryBytes = 32;

std::string Text(const grpc::string_ref& text) { return {text.data(), text.size()}; }

// "ipv6:%5B::1%5D:4317" becomes "[::1]:4317".
std::string PeerText(std::string_view peer) {
  const size_t colon = peer.find(':');
  const std::string_view rest = colon == std::string_view::npos ? peer : peer.substr(colon + 1);
  return PercentDecode(rest).value_or(std::string(rest));
}

// Returns the common name of a verified client certificate, or else its first alternative name.
std::string ClientNameOf(const grpc::AuthContext& context) {
  if (!context.IsPeerAuthenticated())
    return "";
  for (const char* property : {"x509_common_name", "x509_subject_alternative_name"}) {
    const auto values = context.FindPropertyValues(property);
    if (!values.empty() && values.front().size() > 0)
      return Text(values.front());
  }
  return "";
}

}  // namespace

GrpcCall::GrpcCall(grpc::GenericCallbackServerContext* context, GrpcCore* core)
    : context_(context), core_(core) {}

GrpcCall::~GrpcCall() { core_->EndCall(); }

void GrpcCall::Start() {
  const absl::Status begun = core_->BeginCall(PeerText(context_->peer()));
  method_ = core_->Find(context_->method());
  if (method_ == nullptr)
    return Reject(absl::UnimplementedError(
                      base::StrCat("method ", context_->method(), " is not served here")),
                  RejectionReason::kNoRoute);
  if (!begun.ok())
    return Reject(begun, RejectionReason::kRequests);
  request_.method = context_->method();
  if (const absl::Status status = TakeMetadata(); !status.ok())
    return Reject(status, RejectionReason::kHeadTooLarge);
  request_.remote_address = PeerText(context_->peer());
  request_.tls_client_name = ClientNameOf(*context_->auth_context());
  request_.deadline = context_->deadline();
  request_.lease = base::ByteLease(core_->options().budget.get());
  if (core_->options().authenticator == nullptr)
    return StartReading();
  core_->pool().Post([this] {
    if (const absl::Status status = core_->Admit(request_, *method_); !status.ok())
      return Reject(status, ReasonOfAdmission(status));
    StartReading();
  });
}

// gRPC limits the bytes of each frame, but not the number of frames.
absl::Status GrpcCall::TakeMetadata() {
  const auto bytes_max = static_cast<size_t>(core_->options().limits.header_bytes_max);
  size_t bytes = 0;
  for (const auto& [name, value] : context_->client_metadata()) {
    bytes += name.size() + value.size() + kHeaderEntryBytes;
    if (bytes > bytes_max) {
      return absl::ResourceExhaustedError(
          base::StrCat("the headers are larger than ", bytes_max, " bytes"));
    }
    request_.metadata.Add(Text(name), Text(value));
  }
  return absl::OkStatus();
}

void GrpcCall::StartReading() {
  const auto before = std::chrono::steady_clock::now();
  core_->ReserveForMessage(&request_.lease, [this, before](bool is_granted) {
    queued_ = std::chrono::steady_clock::now() - before;
    if (!is_granted)
      return Reject(absl::UnavailableError("too many bytes in flight"),
                    RejectionReason::kBytesInFlight);
    ReadMessage();
  });
}

void GrpcCall::ReadMessage() {
  // The timeout locks this mutex, so it cannot end the call before the read has started.
  const std::shared_ptr<Claim> claim = claim_;
  const base::MutexLock lock(claim->mutex);
  // Without the timeout, a call that sends no message would hold its slot as long as its connection
  // lives.
  alarm_.Set(std::chrono::system_clock::now() + core_->limits().message_timeout,
             [this, claim](bool ok) {
               {
                 const base::MutexLock claiming(claim->mutex);
                 if (!ok || std::exchange(claim->is_taken, true))
                   return;
               }
               Reject(absl::DeadlineExceededError("timed out reading the message"),
                      RejectionReason::kBodyTimeout);
             });
  StartRead(&received_);
}

void GrpcCall::OnReadDone(bool ok) {
  if (ok)
    core_->CountMessage();
  {
    const base::MutexLock lock(claim_->mutex);
    if (std::exchange(claim_->is_taken, true))
      // The timeout sends the response. `this` may be deleted once this function returns.
      return;
  }
  alarm_.Cancel();
  if (!ok)
    // Also reached when gRPC has rejected an oversized message and sends that status itself.
    return Reject(absl::InvalidArgumentError("the call has no message"), RejectionReason::kBadBody);
  // gRPC has already read the message, but the budget bounds what we do with it.
  if (!request_.lease.CanEverHold(received_.Length()))
    return Reject(absl::ResourceExhaustedError("the message is larger than the in-flight limit"),
                  RejectionReason::kBodyTooLarge);
  if (!core_->TakeForMessage(received_.Length(), &request_.lease))
    return Reject(absl::UnavailableError("too many bytes in flight"),
                  RejectionReason::kBytesInFlight);
  if (request_.principal.rate_limit != nullptr)
    request_.principal.rate_limit->PayBytes(received_.Length());
  AwaitWork();
}

void GrpcCall::AwaitWork() {
  const RequestQueues& queues = core_->options().queues;
  request_.begin_by = queues.BeginBy(queued_);
  work_ = queues.WorkLease();
  if (queues.work == nullptr)
    return core_->pool().Post([this] { Serve(); });
  queues.work->Wait({.lease = &work_,
                     .bytes = core_->WorkBytes(*method_, received_.Length()),
                     .until = request_.begin_by},
                    [this](bool is_granted) {
                      is_too_late_ = !is_granted;
                      core_->pool().Post([this] { Serve(); });
                    });
}

void GrpcCall::Serve() {
  if (is_too_late_) {
    received_.Clear();
    request_.lease.Release();
    return Reject(absl::UnavailableError("the server is overloaded"),
                  RejectionReason::kQueueTimeout);
  }
  if (const absl::Status status = TakeMessage(); !status.ok())
    return Reject(status, ReasonOfBody(status));
  const GrpcResponse response = core_->Run(request_, *method_);
  request_.message = {};
  request_.lease.Release();
  Send(response);
}

absl::Status GrpcCall::TakeMessage() {
  const RequestQueues& queues = core_->options().queues;
  base::ByteLease* const lease = queues.work != nullptr ? &work_ : &request_.lease;
  FLARE_ASSIGN(request_.message,
               TakeGrpcMessage(context_->c_call(), &received_, core_->limits().decompress, lease));
  if (queues.work == nullptr)
    return absl::OkStatus();
  request_.lease = std::move(work_);
  if (!request_.lease.CanEverHold(request_.message.size()))
    return absl::ResourceExhaustedError("not enough memory for the message");
  const uint64_t bytes = core_->WorkBytes(*method_, request_.message.size());
  request_.lease.ShrinkReserve(bytes);
  if (!queues.work->WaitHere(
          {.lease = &request_.lease, .bytes = bytes, .until = request_.begin_by}) ||
      !request_.lease.GrowTo(request_.message.size()))
    return absl::UnavailableError("too many bytes in flight");
  return absl::OkStatus();
}

void GrpcCall::Reject(const absl::Status& status, RejectionReason reason) {
  Send(core_->Reject(status, reason));
}

void GrpcCall::Send(const GrpcResponse& response) {
  for (const auto& [name, value] : response.trailing_metadata) {
    if (IsLegalGrpcMetadata(name, value))
      context_->AddTrailingMetadata(name, value);
  }
  const grpc::Status status(static_cast<grpc::StatusCode>(response.code), response.error_message,
                            response.error_details);
  if (!status.ok()) {
    // Send headers separately before the trailers, because they carry grpc-accept-encoding. If the
    // call finished before its headers are sent, gRPC would merge the two and omit that header.
    failure_ = status;
    return StartSendInitialMetadata();
  }
  const grpc::Slice slice(response.message);
  sent_ = grpc::ByteBuffer(&slice, 1);
  StartWriteAndFinish(&sent_, grpc::WriteOptions(), status);
}

void GrpcCall::OnSendInitialMetadataDone(bool /*ok*/) {
  if (failure_.has_value())
    Finish(*failure_);
}

void GrpcCall::OnDone() { delete this; }

}  // namespace flarestack::net
