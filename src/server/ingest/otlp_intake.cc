// SPDX-License-Identifier: Apache-2.0
#include "server/ingest/otlp_intake.h"

#include <algorithm>

#include "base/clock.h"
#include "base/status.h"

namespace flarestack::server {
namespace {

store::Signal StoreSignal(pipeline::Signal signal) {
  switch (signal) {
    case pipeline::Signal::kTraces:
      return store::Signal::kTraces;
    case pipeline::Signal::kMetrics:
      return store::Signal::kMetrics;
    case pipeline::Signal::kLogs:
      return store::Signal::kLogs;
    case pipeline::Signal::kProfiles:
      break;
  }
  return store::Signal::kProfiles;
}

constexpr uint64_t kMoreMemory = 4;

}  // namespace

// Decodes with what is reserved. A message that takes more is decoded again with four times as
// much, as soon as others have given it back.
pipeline::OtlpAnswer OtlpIntake::ReceiveWithin(const Message& message, StoreSink* sink) {
  pipeline::OtlpReceiverOptions options = options_;
  uint64_t memory_bytes = 0;
  options.limits.memory_bytes = &memory_bytes;
  pipeline::OtlpAnswer answer;
  while (true) {
    const uint64_t reserved =
        message.lease == nullptr || work_ == nullptr ? UINT64_MAX : message.lease->total_bytes();
    options.limits.memory_bytes_max = reserved - std::min(reserved, message.body.size());
    answer = pipeline::OtlpReceiver(sink, &counters_, options)
                 .Receive(message.signal, message.encoding, message.body);
    memory_.Note(message.signal, message.encoding, message.body.size(), memory_bytes);
    if (!answer.needs_memory)
      return answer;
    const uint64_t more = std::min(reserved * kMoreMemory, work_->budget().capacity_bytes());
    if (more <= reserved)
      break;
    if (!work_->WaitHere({.lease = message.lease, .bytes = more, .until = message.begin_by})) {
      // When it comes again, more is reserved for it.
      memory_.Note(message.signal, message.encoding, message.body.size(),
                   memory_bytes * kMoreMemory);
      answer = {.status = absl::UnavailableError("too many bytes in flight"),
                .may_retry = true,
                .needs_memory = true};
      break;
    }
  }
  counters_.Add("flarestack_otlp_requests_failed_total",
                {{"signal", pipeline::SignalName(message.signal)},
                 {"code", absl::StatusCodeToString(answer.status.code())}},
                1);
  return answer;
}

pipeline::OtlpAnswer OtlpIntake::Receive(const Caller& caller, const Message& message) {
  const absl::StatusOr<std::string> name = tenants_.NameFor(caller);
  if (!name.ok()) {
    counters_.Add("flarestack_otlp_requests_failed_total",
                  {{"signal", pipeline::SignalName(message.signal)},
                   {"code", absl::StatusCodeToString(name.status().code())}},
                  1);
    return {.status = name.status()};
  }
  StoreSink sink([&] { return tenants_.ForWriting(*name); }, &room_, &counters_);
  const pipeline::OtlpAnswer answer = ReceiveWithin(message, &sink);
  ledger_.Note({.tenant = *name,
                .peer = message.peer,
                .signal = StoreSignal(message.signal),
                .time_nanos = base::NowNanos(),
                .bytes = message.body.size(),
                .items = sink.items(),
                .rejected = static_cast<uint64_t>(answer.partial_success.rejected),
                .services = {sink.services().begin(), sink.services().end()},
                .error = base::Message(answer.status)});
  // No fault of the message, but of the store or for lack of room.
  if ((answer.may_retry && !answer.needs_memory) || absl::IsInternal(answer.status)) {
    const bool is_full = absl::IsResourceExhausted(answer.status);
    log_.Write(is_full ? base::LogLevel::kWarn : base::LogLevel::kError,
               is_full ? "store.refused" : "store.failed",
               {{"signal", pipeline::SignalName(message.signal)},
                {"error", base::Message(answer.status)}});
  }
  return answer;
}

}  // namespace flarestack::server
