// SPDX-License-Identifier: Apache-2.0
#include "pipeline/receivers/otlp_receiver.h"

#include <algorithm>

#include "base/clock.h"
#include "base/text/text.h"
#include "base/warnings.h"
#include "codec/otlp/layouts/protobuf_reader.h"
#include "codec/otlp/profiles/json_reader.h"
#include "codec/otlp/signals/logs_protobuf.h"
#include "codec/otlp/signals/metrics_protobuf.h"
#include "codec/otlp/signals/signals_json.h"
#include "codec/otlp/signals/traces_protobuf.h"
#include "codec/otlp/values/memory_cost.h"
#include "model/signal.h"
#include "model/validation/item_check.h"
#include "pipeline/receivers/prepare_items.h"
#include "pipeline/receivers/service_names.h"

namespace flarestack::pipeline {
namespace {

using codec::otlp::Layout;

// Batches are large and requests frequent, so each worker thread reuses the memory of its last
// batch, unless that request was unusually large.
template <typename Batch>
class ThreadsBatch {
 public:
  static constexpr size_t kKeepBodyBytesMax = 512 << 10;

  explicit ThreadsBatch(std::string_view body) : keeps_(body.size() <= kKeepBodyBytesMax) {}
  ~ThreadsBatch() {
    if (!keeps_) {
      Get() = Batch();
      return;
    }
    Get().Clear();
    Get().arena = {};
  }
  ThreadsBatch(const ThreadsBatch&) = delete;
  ThreadsBatch& operator=(const ThreadsBatch&) = delete;

  static Batch& Get() {
    thread_local Batch batch;
    return batch;
  }

 private:
  const bool keeps_;
};

void AppendSentence(std::string_view sentence, std::string* text) {
  if (!sentence.empty())
    base::StrAppend(text, text->empty() ? "" : "; ", sentence);
}

// Maps a sink error to the code the sender sees. Errors that the message did not cause are
// retryable. A store whose dictionary has run out of numbers (kOutOfRange) will never accept the
// message; OTLP clients retry OUT_OF_RANGE, so it is reported as INTERNAL.
OtlpResponse SinkFailed(const absl::Status& status) {
  if (status.code() == absl::StatusCode::kInvalidArgument)
    return {.status = status};
  if (status.code() == absl::StatusCode::kOutOfRange)
    return {.status = absl::InternalError(status.message())};
  const bool is_known = status.code() == absl::StatusCode::kResourceExhausted ||
                        status.code() == absl::StatusCode::kUnavailable;
  return {.status = is_known ? status : absl::UnavailableError(status.message()),
          .may_retry = true};
}

}  // namespace

OtlpReceiver::OtlpReceiver(model::Sink* sink, base::Counters* counters, OtlpReceiverOptions options)
    : sink_(*sink), counters_(*counters), options_([&] {
        if (options.now_nanos == nullptr)
          options.now_nanos = base::NowNanos;
        return std::move(options);
      }()) {}

OtlpResponse OtlpReceiver::Receive(model::Signal signal, Encoding encoding, std::string_view body) {
  OtlpResponse response;
  switch (signal) {
    case model::Signal::kTraces:
      response = ReceiveTraces(encoding, body);
      break;
    case model::Signal::kMetrics:
      response = ReceiveMetrics(encoding, body);
      break;
    case model::Signal::kLogs:
      response = ReceiveLogs(encoding, body);
      break;
    case model::Signal::kProfiles:
      response = ReceiveProfiles(encoding, body);
      break;
  }
  response.needs_memory = codec::otlp::IsMemoryLimit(response.status);
  if (!response.status.ok() && !response.needs_memory)
    CountFailed(signal, response.status);
  return response;
}

OtlpResponse OtlpReceiver::Receive(model::Batch* batch) {
  OtlpResponse response = StoreProfiles(batch);
  if (!response.status.ok())
    CountFailed(model::Signal::kProfiles, response.status);
  return response;
}

void OtlpReceiver::CountFailed(model::Signal signal, const absl::Status& status) {
  counters_.Add(
      "flarestack_otlp_requests_failed_total",
      {{"signal", model::SignalName(signal)}, {"code", absl::StatusCodeToString(status.code())}},
      1);
}

void OtlpReceiver::CountAccepted(model::Signal signal, uint64_t items) {
  counters_.Add("flarestack_otlp_requests_total", {{"signal", model::SignalName(signal)}}, 1);
  if (items > 0)
    counters_.Add("flarestack_otlp_items_accepted_total", {{"signal", model::SignalName(signal)}},
                  items);
}

void OtlpReceiver::CountLost(model::Signal signal, const AttributeLosses& losses) {
  if (losses.dropped > 0)
    counters_.Add("flarestack_otlp_attributes_dropped_total",
                  {{"signal", model::SignalName(signal)}}, losses.dropped);
  if (losses.cut > 0)
    counters_.Add("flarestack_otlp_attribute_values_cut_total",
                  {{"signal", model::SignalName(signal)}}, losses.cut);
}

void OtlpReceiver::CountRejected(model::Signal signal, std::string_view reason, uint64_t items) {
  counters_.Add("flarestack_otlp_items_rejected_total",
                {{"signal", model::SignalName(signal)}, {"reason", reason}}, items);
}

OtlpResponse OtlpReceiver::ReceiveProfiles(Encoding encoding, std::string_view body) {
  const ThreadsBatch<model::Batch> kept(body);
  model::Batch& batch = kept.Get();
  base::Warnings warnings;
  absl::StatusOr<Layout> layout = Layout::k110;
  if (encoding == Encoding::kProtobuf) {
    layout = codec::otlp::DecodeProtobuf(body, options_.limits, &batch);
  } else if (const absl::Status decoded = codec::otlp::DecodeJson(
                 body, &batch, &warnings, options_.limits, codec::otlp::ReservedEntries::kAdded,
                 codec::otlp::BadIds::kDropped);
             !decoded.ok()) {
    layout = decoded;
  }
  if (!layout.ok())
    return {.status = layout.status()};
  OtlpResponse response = StoreProfiles(&batch);
  if (response.status.ok() && *layout != Layout::k110) {
    const std::string name(codec::otlp::LayoutName(*layout));
    AppendSentence(base::StrCat("decoded with the layout of opentelemetry-proto ", name,
                                "; send the layout of 1.10 or later"),
                   &response.partial_success.error_message);
    counters_.Add("flarestack_otlp_older_layouts_total", {{"layout", name}}, 1);
  }
  return response;
}

OtlpResponse OtlpReceiver::StoreProfiles(model::Batch* batch) {
  const auto [sifted, losses, restamped] =
      PrepareProfiles(options_.attributes, options_.now_nanos(), batch);
  NameServices(batch);
  codec::otlp::PartialSuccess partial_success = {
      .rejected = static_cast<int64_t>(sifted.profiles_rejected),
      .error_message = sifted.Explain()};
  if (!batch->samples.empty()) {
    const auto pushed = sink_.Push(*batch);
    if (!pushed.ok())
      return SinkFailed(pushed.status());
    partial_success.rejected += static_cast<int64_t>(pushed->rejected);
    AppendSentence(pushed->reason, &partial_success.error_message);
  }
  AppendSentence(losses.Explain(options_.attributes), &partial_success.error_message);
  CountLost(model::Signal::kProfiles, losses);
  CountAccepted(model::Signal::kProfiles, batch->samples.size());
  for (const auto& rejected : sifted.rejected)
    CountRejected(model::Signal::kProfiles, model::FaultId(rejected.fault), rejected.samples);
  if (restamped > 0)
    counters_.Add("flarestack_otlp_times_restamped_total", {{"signal", "profiles"}}, restamped);
  return {.partial_success = std::move(partial_success)};
}

OtlpResponse OtlpReceiver::ReceiveTraces(Encoding encoding, std::string_view body) {
  const ThreadsBatch<model::TraceBatch> kept(body);
  model::TraceBatch& batch = kept.Get();
  base::Warnings warnings;
  const absl::Status decoded =
      encoding == Encoding::kProtobuf
          ? codec::otlp::DecodeTraces(body, options_.limits, &batch)
          : codec::otlp::DecodeTracesJson(body, options_.limits, &batch, &warnings);
  if (!decoded.ok())
    return {.status = decoded};
  const std::vector<model::RejectedSpan> bad = model::FindBadSpans(batch);
  const size_t span_count = batch.spans.size();
  DropSpans(bad, &batch);
  model::RepairText(&batch, &warnings);
  const AttributeLosses losses = LimitAttributes(options_.attributes, &batch);
  const uint64_t restamped = RestampSpans(&batch, options_.now_nanos());
  if (!batch.spans.empty()) {
    if (const absl::Status status = sink_.Push(batch); !status.ok())
      return SinkFailed(status);
  }
  CountAccepted(model::Signal::kTraces, span_count - bad.size());
  for (const model::RejectedSpan& span : bad)
    CountRejected(model::Signal::kTraces, model::FaultId(span.fault), 1);
  if (restamped > 0)
    counters_.Add("flarestack_otlp_times_restamped_total", {{"signal", "traces"}}, restamped);
  CountLost(model::Signal::kTraces, losses);
  std::string message = model::ExplainRejected(bad, span_count);
  AppendSentence(losses.Explain(options_.attributes), &message);
  return {.partial_success = {.rejected = static_cast<int64_t>(bad.size()),
                              .error_message = std::move(message)}};
}

OtlpResponse OtlpReceiver::ReceiveLogs(Encoding encoding, std::string_view body) {
  const ThreadsBatch<model::LogBatch> kept(body);
  model::LogBatch& batch = kept.Get();
  base::Warnings warnings;
  const absl::Status decoded =
      encoding == Encoding::kProtobuf
          ? codec::otlp::DecodeLogs(body, options_.limits, &batch)
          : codec::otlp::DecodeLogsJson(body, options_.limits, &batch, &warnings);
  if (!decoded.ok())
    return {.status = decoded};
  model::RepairIds(&batch, &warnings);
  model::RepairText(&batch, &warnings);
  const AttributeLosses losses = LimitAttributes(options_.attributes, &batch);
  const uint64_t restamped = RestampLogs(&batch, options_.now_nanos());
  if (!batch.log_records.empty()) {
    if (const absl::Status status = sink_.Push(batch); !status.ok())
      return SinkFailed(status);
  }
  CountAccepted(model::Signal::kLogs, batch.log_records.size());
  if (restamped > 0)
    counters_.Add("flarestack_otlp_times_restamped_total", {{"signal", "logs"}}, restamped);
  CountLost(model::Signal::kLogs, losses);
  return {.partial_success = {.rejected = 0, .error_message = losses.Explain(options_.attributes)}};
}

OtlpResponse OtlpReceiver::ReceiveMetrics(Encoding encoding, std::string_view body) {
  const ThreadsBatch<model::MetricBatch> kept(body);
  model::MetricBatch& batch = kept.Get();
  base::Warnings warnings;
  const absl::Status decoded =
      encoding == Encoding::kProtobuf
          ? codec::otlp::DecodeMetrics(body, options_.limits, &batch)
          : codec::otlp::DecodeMetricsJson(body, options_.limits, &batch, &warnings);
  if (!decoded.ok())
    return {.status = decoded};
  std::vector<model::RejectedPoint> bad = model::FindBadPoints(batch);
  const size_t point_count = CountPoints(batch);
  DropPoints(bad, &batch);
  model::RepairText(&batch, &warnings);
  const std::vector<model::RejectedPoint> beyond = FindPointsBeyond(options_.attributes, batch);
  DropPoints(beyond, &batch);
  bad.insert(bad.end(), beyond.begin(), beyond.end());
  const AttributeLosses losses = LimitAttributes(options_.attributes, &batch);
  const uint64_t restamped = RestampPoints(&batch, options_.now_nanos());
  model::Pushed pushed;
  if (CountPoints(batch) > 0) {
    auto result = sink_.Push(batch);
    if (!result.ok())
      return SinkFailed(result.status());
    pushed = *std::move(result);
  }
  CountAccepted(model::Signal::kMetrics, point_count - bad.size() - pushed.rejected);
  for (const model::RejectedPoint& point : bad)
    CountRejected(model::Signal::kMetrics, model::FaultId(point.fault), 1);
  if (restamped > 0)
    counters_.Add("flarestack_otlp_times_restamped_total", {{"signal", "metrics"}}, restamped);
  CountLost(model::Signal::kMetrics, losses);
  std::string message = model::ExplainRejected(bad, point_count);
  AppendSentence(pushed.reason, &message);
  AppendSentence(losses.Explain(options_.attributes), &message);
  return {.partial_success = {.rejected = static_cast<int64_t>(bad.size() + pushed.rejected),
                              .error_message = std::move(message)}};
}

}  // namespace flarestack::pipeline
