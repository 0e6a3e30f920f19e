// SPDX-License-Identifier: Apache-2.0
#include "server/api/endpoints.h"

#include "base/status.h"
#include "codec/otlp/signals/signals_json.h"
#include "server/api/otlp_json.h"
#include "server/api/parameters.h"
#include "server/api/scope_reader.h"
#include "server/api/signals/trace_json.h"

namespace flarestack::server::api {
namespace {

constexpr size_t kSpansMax = 50'000;
constexpr size_t kLogsMax = 10'000;

void AddMissing(std::string_view what, Answer* response) {
  base::StrAppend(&response->scanned.missing, response->scanned.missing.empty() ? "" : "; ", what);
}

absl::Status AddLogs(const Call& call, const std::string& trace_id, const TraceJson& trace,
                     Answer* response) {
  FLARE_ASSIGN(const store::SelectedLogs logs,
               call.source().SelectLogs({.trace_id = trace_id, .limit = kLogsMax}));
  response->json["logs"] = trace.Logs(logs);
  if (!logs.next.empty())
    AddMissing(base::StrCat("log records after the first ", kLogsMax), response);
  return absl::OkStatus();
}

// If memory is short, the trace is still worth showing without its samples.
absl::Status AddSamples(const Call& call, const std::string& trace_id, const TraceJson& trace,
                        Answer* response) {
  base::ByteLease lease(call.budget);
  store::ProfileQuery query = {.detail = store::Detail::kSamples,
                               .spans = {{.trace_id = trace_id, .span_id = {}}}};
  query.try_reserve = [&](uint64_t bytes) { return lease.GrowTo(bytes); };
  const auto batch = call.source().SelectProfiles(query);
  response->json["samples"] = Json::array();
  if (absl::IsResourceExhausted(batch.status())) {
    AddMissing("profile samples (not enough memory)", response);
    return absl::OkStatus();
  }
  FLARE_RETURN_IF_ERROR(batch.status());
  response->json["samples"] = trace.Samples(query::SamplesBySpan(*batch));
  response->scanned.parts = batch->profiles.size();
  response->scanned.samples = batch->samples.size();
  return absl::OkStatus();
}

absl::StatusOr<Answer> GetTrace(Call& call) {
  FLARE_RETURN_IF_ERROR(CheckFormat(call));
  FLARE_ASSIGN(const std::string id, ReadId(call.request.path_parameters.Find("id").value_or(""),
                                            model::kTraceIdBytes, "the trace id"));
  FLARE_ASSIGN(const model::TraceBatch batch, call.source().SelectTrace({.trace_id = id}));
  if (batch.spans.empty()) {
    return WithHint(absl::NotFoundError("no span of this trace is stored"),
                    "it may have expired, or was not sampled by its sender");
  }
  if (IsOtlp(call)) {
    return OtlpJson(
        [&](codec::WriteBytes write) { return codec::otlp::EncodeTracesJson(batch, write); });
  }
  TraceJson trace(batch, kSpansMax);
  Answer response;
  response.json = trace.Head();
  response.json["spans"] = trace.Spans();
  response.json["names"] = trace.names();
  response.json["services"] = trace.services();
  response.json["resources"] = trace.Resources();
  response.json["critical_path"] = trace.CriticalPath();
  if (!trace.is_complete())
    AddMissing(base::StrCat(trace.all_span_count() - trace.span_count(), " of ",
                            trace.all_span_count(), " spans; format=otlp has all"),
               &response);
  FLARE_RETURN_IF_ERROR(AddLogs(call, id, trace, &response));
  FLARE_RETURN_IF_ERROR(AddSamples(call, id, trace, &response));
  return response;
}

}  // namespace

Endpoint TraceEndpoint() {
  return {.path = "/trace/{id}",
          .summary = "the spans of a trace as columns, with its critical path",
          .parameters = {kTimeoutParameter, FormatParameter()},
          .responses = {"Trace", "OtlpTraces"},
          .handler = GetTrace};
}

}  // namespace flarestack::server::api
