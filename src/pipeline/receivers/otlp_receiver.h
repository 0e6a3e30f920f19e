// SPDX-License-Identifier: Apache-2.0
//
// The transport-independent part of an OTLP receiver: decodes a request, rejects invalid items one
// by one, pushes the rest into the sink, and reports the outcome.
//
// Thread-safe if the sink is.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "absl/status/status.h"
#include "base/counters.h"
#include "codec/otlp/export_response.h"
#include "codec/otlp/values/limits.h"
#include "model/signal.h"
#include "model/sink.h"
#include "pipeline/receivers/attribute_limits.h"

namespace flarestack::pipeline {

using codec::otlp::Encoding;

struct OtlpReceiverOptions {
  codec::otlp::Limits limits;
  AttributeLimits attributes;
  std::function<uint64_t()> now_nanos;  // time of arrival; null: the system clock
};

struct OtlpResponse {
  absl::Status status;
  bool may_retry = false;  // the sink is temporarily unable to accept it; the message is valid
  // The message was not decoded because of limits.memory_bytes_max. Nothing was pushed or counted.
  bool needs_memory = false;
  codec::otlp::PartialSuccess partial_success;  // only when the status is OK
};

class OtlpReceiver {
 public:
  // Both must outlive the receiver.
  OtlpReceiver(model::Sink* sink, base::Counters* counters, OtlpReceiverOptions options);

  // `body` is decompressed and must outlive the call.
  OtlpResponse Receive(model::Signal signal, Encoding encoding, std::string_view body);

  // The same for profiles that are decoded already. Limits and counters apply to them, too. Changes
  // `batch`.
  OtlpResponse Receive(model::Batch* batch);

 private:
  OtlpResponse ReceiveProfiles(Encoding encoding, std::string_view body);
  OtlpResponse StoreProfiles(model::Batch* batch);
  OtlpResponse ReceiveTraces(Encoding encoding, std::string_view body);
  OtlpResponse ReceiveLogs(Encoding encoding, std::string_view body);
  OtlpResponse ReceiveMetrics(Encoding encoding, std::string_view body);

  void CountFailed(model::Signal signal, const absl::Status& status);
  void CountAccepted(model::Signal signal, uint64_t items);
  void CountLost(model::Signal signal, const AttributeLosses& losses);
  void CountRejected(model::Signal signal, std::string_view reason, uint64_t items);

  model::Sink& sink_;
  base::Counters& counters_;
  const OtlpReceiverOptions options_;
};

}  // namespace flarestack::pipeline
