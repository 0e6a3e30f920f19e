// SPDX-License-Identifier: Apache-2.0
#include "pipeline/receivers/otlp_receiver.h"

#include <algorithm>

#include "base/clock.h"
#include "base/text.h"
#include "base/warnings.h"
#include "codec/otlp/json_reader.h"
#include "codec/otlp/logs_json.h"
#include "codec/otlp/logs_protobuf.h"
#include "codec/otlp/metrics_json.h"
#include "codec/otlp/metrics_protobuf.h"
#include "codec/otlp/protobuf_reader.h"
#include "codec/otlp/reserved_entries.h"
#include "codec/otlp/traces_json.h"
#include "codec/otlp/traces_protobuf.h"
#include "model/item_check.h"
#include "model/profile_sift.h"
#include "model/validate.h"
#include "pipeline/receivers/drop_items.h"

namespace flarestack::pipeline {
namespace {

// Batches are large and requests many: each worker thread keeps the memory of its last one.
template <typename Batch>
Batch& ThreadsBatch() {
  thread_local Batch batch;
  batch.Clear();
  batch.arena = {};
  return batch;
}

// The sink's reasons, in the codes that a sender must see: what is not the message's own fault is
// worth another try.
OtlpAnswer SinkFailed(const absl::Status& status) {
  if (status.code() == absl::StatusCode::kInvalidArgument)
    return {.status = status};
  const bool is_known = status.code() == absl::StatusCode::kResourceExhausted ||
                        status.code() == absl::StatusCode::kUnavailable;
  return {.status = is_known ? status : absl::UnavailableError(status.message()),
          .may_retry = true};
}

}  // namespace

std::string_view SignalName(Signal signal) {
  switch (signal) {
    case Signal::kTraces:
      return "traces";
    case Signal::kMetrics:
      return "metrics";
    case Signal::kLogs:
      return "logs";
    case Signal::kProfiles:
      return "profiles";
  }
  return "";
}

OtlpReceiver::OtlpReceiver(model::Sink* sink, base::Counters* counters, OtlpReceiverOptions options)
    : sink_(*sink), counters_(*counters), options_([&] {
        if (options.now_nanos == nullptr)
          options.now_nanos = base::NowNanos;
        return std::move(options);
      }()) {}

OtlpAnswer OtlpReceiver::Receive(Signal signal, Encoding encoding, std::string_view body) {
  OtlpAnswer answer;
  switch (signal) {
    case Signal::kTraces:
      answer = ReceiveTraces(encoding, body);
      break;
    case Signal::kMetrics:
      answer = ReceiveMetrics(encoding, body);
      break;
    case Signal::kLogs:
      answer = ReceiveLogs(encoding, body);
      break;
    case Signal::kProfiles:
      answer = ReceiveProfiles(encoding, body);
      break;
  }
  if (!answer.status.ok()) {
    counters_.Add(
        "flarestack_otlp_requests_failed_total",
        {{"signal", SignalName(signal)}, {"code", absl::StatusCodeToString(answer.status.code())}},
        1);
  }
  return answer;
}

void OtlpReceiver::CountAccepted(Signal signal, uint64_t items) {
  counters_.Add("flarestack_otlp_requests_total", {{"signal", SignalName(signal)}}, 1);
  if (items > 0)
    counters_.Add("flarestack_otlp_items_accepted_total", {{"signal", SignalName(signal)}}, items);
}

void OtlpReceiver::CountRejected(Signal signal, std::string_view reason, uint64_t items) {
  counters_.Add("flarestack_otlp_items_rejected_total",
                {{"signal", SignalName(signal)}, {"reason", reason}}, items);
}

OtlpAnswer OtlpReceiver::ReceiveProfiles(Encoding encoding, std::string_view body) {
  model::Batch& batch = ThreadsBatch<model::Batch>();
  base::Warnings warnings;
  const absl::Status decoded =
      encoding == Encoding::kProtobuf
          ? codec::otlp::DecodeProtobuf(body, options_.limits, &batch).status()
          : codec::otlp::DecodeJson(body, &batch, &warnings, options_.limits,
                                    codec::otlp::ReservedEntries::kAdded,
                                    codec::otlp::BadIds::kLeftOut);
  if (!decoded.ok())
    return {.status = decoded};
  codec::otlp::EnsureReservedEntries(&batch.dictionary);
  const model::SiftedProfiles sifted = model::SiftProfiles(&batch);
  model::RepairText(&batch, &warnings);
  const uint64_t restamped = model::RestampAbsurdTimes(&batch, options_.now_nanos());
  codec::otlp::PartialSuccess partial_success = {
      .rejected = static_cast<int64_t>(sifted.profiles_rejected),
      .error_message = sifted.Explain()};
  if (!batch.samples.empty()) {
    const auto pushed = sink_.Push(batch);
    if (!pushed.ok())
      return SinkFailed(pushed.status());
    partial_success.rejected += static_cast<int64_t>(pushed->rejected);
    if (!pushed->reason.empty())
      base::StrAppend(&partial_success.error_message,
                      partial_success.error_message.empty() ? "" : "; ", pushed->reason);
  }
  CountAccepted(Signal::kProfiles, batch.samples.size());
  for (const auto& rejected : sifted.rejected)
    CountRejected(Signal::kProfiles, model::FaultId(rejected.fault), rejected.samples);
  if (restamped > 0)
    counters_.Add("flarestack_otlp_times_restamped_total", {{"signal", "profiles"}}, restamped);
  return {.partial_success = std::move(partial_success)};
}

OtlpAnswer OtlpReceiver::ReceiveTraces(Encoding encoding, std::string_view body) {
  model::TraceBatch& batch = ThreadsBatch<model::TraceBatch>();
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
  const uint64_t restamped = RestampSpans(&batch, options_.now_nanos());
  if (!batch.spans.empty()) {
    if (const absl::Status status = sink_.Push(batch); !status.ok())
      return SinkFailed(status);
  }
  CountAccepted(Signal::kTraces, span_count - bad.size());
  for (const model::RejectedSpan& span : bad)
    CountRejected(Signal::kTraces, model::FaultId(span.fault), 1);
  if (restamped > 0)
    counters_.Add("flarestack_otlp_times_restamped_total", {{"signal", "traces"}}, restamped);
  return {.partial_success = {.rejected = static_cast<int64_t>(bad.size()),
                              .error_message = model::ExplainRejected(bad, span_count)}};
}

OtlpAnswer OtlpReceiver::ReceiveLogs(Encoding encoding, std::string_view body) {
  model::LogBatch& batch = ThreadsBatch<model::LogBatch>();
  base::Warnings warnings;
  const absl::Status decoded =
      encoding == Encoding::kProtobuf
          ? codec::otlp::DecodeLogs(body, options_.limits, &batch)
          : codec::otlp::DecodeLogsJson(body, options_.limits, &batch, &warnings);
  if (!decoded.ok())
    return {.status = decoded};
  model::RepairIds(&batch, &warnings);
  model::RepairText(&batch, &warnings);
  const uint64_t restamped = RestampLogs(&batch, options_.now_nanos());
  if (!batch.log_records.empty()) {
    if (const absl::Status status = sink_.Push(batch); !status.ok())
      return SinkFailed(status);
  }
  CountAccepted(Signal::kLogs, batch.log_records.size());
  if (restamped > 0)
    counters_.Add("flarestack_otlp_times_restamped_total", {{"signal", "logs"}}, restamped);
  return {};
}

OtlpAnswer OtlpReceiver::ReceiveMetrics(Encoding encoding, std::string_view body) {
  model::MetricBatch& batch = ThreadsBatch<model::MetricBatch>();
  base::Warnings warnings;
  const absl::Status decoded =
      encoding == Encoding::kProtobuf
          ? codec::otlp::DecodeMetrics(body, options_.limits, &batch)
          : codec::otlp::DecodeMetricsJson(body, options_.limits, &batch, &warnings);
  if (!decoded.ok())
    return {.status = decoded};
  const std::vector<model::RejectedPoint> bad = model::FindBadPoints(batch);
  const size_t point_count = CountPoints(batch);
  DropPoints(bad, &batch);
  model::RepairText(&batch, &warnings);
  const uint64_t restamped = RestampPoints(&batch, options_.now_nanos());
  if (CountPoints(batch) > 0) {
    if (const absl::Status status = sink_.Push(batch); !status.ok())
      return SinkFailed(status);
  }
  CountAccepted(Signal::kMetrics, point_count - bad.size());
  for (const model::RejectedPoint& point : bad)
    CountRejected(Signal::kMetrics, model::FaultId(point.fault), 1);
  if (restamped > 0)
    counters_.Add("flarestack_otlp_times_restamped_total", {{"signal", "metrics"}}, restamped);
  return {.partial_success = {.rejected = static_cast<int64_t>(bad.size()),
                              .error_message = model::ExplainRejected(bad, point_count)}};
}

}  // namespace flarestack::pipeline
