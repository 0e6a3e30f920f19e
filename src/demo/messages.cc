// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/profiles/protobuf_writer.h"
#include "codec/otlp/signals/logs_protobuf.h"
#include "codec/otlp/signals/metrics_protobuf.h"
#include "codec/otlp/signals/traces_protobuf.h"
#include "demo/signals.h"
#include "model/signal.h"

namespace flarestack::demo {
namespace {

using codec::wire::ReverseWriter;
using model::Signal;

constexpr size_t kEstimateBytes = 64 << 10;

template <typename Batch>
Message Encode(Signal signal, const Batch& batch, void (*encode)(const Batch&, ReverseWriter*)) {
  ReverseWriter out(kEstimateBytes);
  encode(batch, &out);
  return {.signal = signal, .bytes = std::string(out.view())};
}

}  // namespace

std::vector<Message> MessagesOf(const Timeline& timeline, const Window& window) {
  std::vector<Message> messages;
  messages.push_back(Encode(Signal::kTraces, TracesOf(window), codec::otlp::EncodeTraces));
  messages.push_back(Encode(Signal::kLogs, LogsOf(window), codec::otlp::EncodeLogs));
  messages.push_back(
      Encode(Signal::kMetrics, MetricsOf(timeline, window), codec::otlp::EncodeMetrics));
  messages.push_back(
      Encode(Signal::kProfiles, ProfilesOf(timeline, window), codec::otlp::EncodeProtobuf));
  std::erase_if(messages, [](const Message& message) { return message.bytes.empty(); });
  return messages;
}

}  // namespace flarestack::demo
