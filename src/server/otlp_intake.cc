// SPDX-License-Identifier: Apache-2.0
#include "server/otlp_intake.h"

#include "base/clock.h"
#include "base/status.h"
#include "server/store_sink.h"

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

}  // namespace

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
  pipeline::OtlpReceiver receiver(&sink, &counters_, options_);
  const pipeline::OtlpAnswer answer =
      receiver.Receive(message.signal, message.encoding, message.body);
  ledger_.Note({.tenant = *name,
                .peer = message.peer,
                .signal = StoreSignal(message.signal),
                .time_nanos = base::NowNanos(),
                .bytes = message.body.size(),
                .items = sink.items(),
                .rejected = static_cast<uint64_t>(answer.partial_success.rejected),
                .services = {sink.services().begin(), sink.services().end()},
                .error = base::Message(answer.status)});
  // What may be tried again is no fault of the message, but of the store or for lack of room.
  if (answer.may_retry) {
    const bool is_full = absl::IsResourceExhausted(answer.status);
    log_.Write(is_full ? base::LogLevel::kWarn : base::LogLevel::kError,
               is_full ? "store.refused" : "store.failed",
               {{"signal", pipeline::SignalName(message.signal)},
                {"error", base::Message(answer.status)}});
  }
  return answer;
}

}  // namespace flarestack::server
