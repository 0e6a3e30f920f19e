// SPDX-License-Identifier: Apache-2.0
#include "server/ingest/otlp_intake.h"

#include <algorithm>

#include "base/clock.h"
#include "base/status.h"
#include "codec/otlp/profiles/protobuf_writer.h"
#include "model/signal.h"

namespace flarestack::server {
namespace {

constexpr uint64_t kMoreMemory = 4;

}  // namespace

// Decodes within the reserved memory. If that is too little, waits for four times as much and
// decodes again.
pipeline::OtlpResponse OtlpIntake::ReceiveWithin(const Message& message, StoreSink* sink) {
  pipeline::OtlpReceiverOptions options = options_;
  uint64_t memory_bytes = 0;
  options.limits.memory_bytes = &memory_bytes;
  pipeline::OtlpResponse response;
  while (true) {
    const uint64_t reserved =
        message.lease == nullptr || work_ == nullptr ? UINT64_MAX : message.lease->total_bytes();
    options.limits.memory_bytes_max = reserved - std::min(reserved, message.body.size());
    response = pipeline::OtlpReceiver(sink, &counters_, options)
                   .Receive(message.signal, message.encoding, message.body);
    memory_.Note(message.signal, message.encoding, message.body.size(), memory_bytes);
    if (!response.needs_memory)
      return response;
    const uint64_t more = std::min(reserved * kMoreMemory, work_->budget().capacity_bytes());
    if (more <= reserved)
      break;
    if (!work_->WaitHere({.lease = message.lease, .bytes = more, .until = message.begin_by})) {
      // Reserve more when the client retries.
      memory_.Note(message.signal, message.encoding, message.body.size(),
                   memory_bytes * kMoreMemory);
      response = {.status = absl::UnavailableError("too many bytes in flight"),
                  .may_retry = true,
                  .needs_memory = true};
      break;
    }
  }
  counters_.Add("flarestack_otlp_requests_failed_total",
                {{"signal", model::SignalName(message.signal)},
                 {"code", absl::StatusCodeToString(response.status.code())}},
                1);
  return response;
}

pipeline::OtlpResponse OtlpIntake::Receive(const Caller& caller, const Message& message) {
  return Ingest(caller,
                {.peer = message.peer, .signal = message.signal, .bytes = message.body.size()},
                [&](StoreSink* sink) { return ReceiveWithin(message, sink); });
}

pipeline::OtlpResponse OtlpIntake::Receive(const Caller& caller, std::string_view peer,
                                           model::Batch* batch) {
  return Ingest(caller,
                {.peer = peer,
                 .signal = model::Signal::kProfiles,
                 .bytes = codec::otlp::EstimateProtobufBytes(*batch)},
                [&](StoreSink* sink) {
                  return pipeline::OtlpReceiver(sink, &counters_, options_).Receive(batch);
                });
}

pipeline::OtlpResponse OtlpIntake::Ingest(
    const Caller& caller, NotedRequest request,
    absl::FunctionRef<pipeline::OtlpResponse(StoreSink*)> receive) {
  const std::string_view signal = model::SignalName(request.signal);
  const absl::StatusOr<std::string> name = tenants_.NameFor(caller);
  if (!name.ok()) {
    counters_.Add("flarestack_otlp_requests_failed_total",
                  {{"signal", signal}, {"code", absl::StatusCodeToString(name.status().code())}},
                  1);
    return {.status = name.status()};
  }
  StoreSink sink([&] { return tenants_.ForWriting(*name); }, &room_, &counters_);
  const pipeline::OtlpResponse response = receive(&sink);
  request.tenant = *name;
  request.time_nanos = base::NowNanos();
  request.items = sink.items();
  request.rejected = static_cast<uint64_t>(response.partial_success.rejected);
  request.services = {sink.services().begin(), sink.services().end()};
  request.error = base::Message(response.status);
  ledger_.Note(request);
  // The message is valid; the store failed or is full.
  if ((response.may_retry && !response.needs_memory) || absl::IsInternal(response.status)) {
    const bool is_full = absl::IsResourceExhausted(response.status);
    log_.Write(is_full ? base::LogLevel::kWarn : base::LogLevel::kError,
               is_full ? "store.refused" : "store.failed",
               {{"signal", signal}, {"error", base::Message(response.status)}});
  }
  return response;
}

}  // namespace flarestack::server
