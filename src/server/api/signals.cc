// SPDX-License-Identifier: Apache-2.0
#include "server/api/signals.h"

#include "base/status.h"
#include "codec/otlp/logs_json.h"
#include "codec/otlp/traces_json.h"
#include "query/time_expression.h"
#include "server/api/parameters.h"

namespace flarestack::server::api {
namespace {

constexpr size_t kLogsMax = 10'000;

absl::StatusOr<store::LogQuery> ReadLogQuery(const Call& call) {
  store::LogQuery query;
  FLARE_ASSIGN(query.matchers, ReadSelector(call));
  FLARE_ASSIGN(query.trace_id, ReadId(call.Text("trace"), model::kTraceIdBytes, "trace"));
  FLARE_ASSIGN(query.span_id, ReadId(call.Text("span"), model::kSpanIdBytes, "span"));
  if (!query.span_id.empty() && query.trace_id.empty())
    return absl::InvalidArgumentError("a span is found by its trace: give `trace` as well");
  FLARE_ASSIGN(const uint64_t severity, ReadNumber(call, "severity", {.max = 24}));
  query.severity_min = static_cast<int32_t>(severity);
  FLARE_ASSIGN(query.limit,
               ReadNumber(call, "limit", {.otherwise = 1000, .min = 1, .max = kLogsMax}));
  // A trace is asked for whenever it was; a search has a range.
  FLARE_ASSIGN(
      query.range.from,
      query::ParseTime(call.Text("from", query.trace_id.empty() ? "now-1h" : "0"), call.now_nanos));
  if (const auto text = call.Find("to")) {
    FLARE_ASSIGN(query.range.to, query::ParseTime(*text, call.now_nanos));
  }
  return query;
}

template <typename Encode>
absl::StatusOr<Answer> OtlpJson(Encode encode) {
  Answer answer = {.content_type = "application/json"};
  FLARE_RETURN_IF_ERROR(encode([&](std::string_view bytes) {
    answer.bytes += bytes;
    return absl::OkStatus();
  }));
  return answer;
}

absl::StatusOr<Answer> GetTrace(Call& call) {
  FLARE_ASSIGN(const std::string id, ReadId(call.request.path_parameters.Find("id").value_or(""),
                                            model::kTraceIdBytes, "the trace id"));
  FLARE_ASSIGN(const model::TraceBatch batch, call.store->SelectTrace(id));
  if (batch.spans.empty())
    return absl::NotFoundError("no span of this trace is stored");
  return OtlpJson(
      [&](codec::WriteBytes write) { return codec::otlp::EncodeTracesJson(batch, write); });
}

absl::StatusOr<Answer> GetLogs(Call& call) {
  FLARE_ASSIGN(const store::LogQuery query, ReadLogQuery(call));
  FLARE_ASSIGN(const model::LogBatch batch, call.store->SelectLogs(query));
  return OtlpJson(
      [&](codec::WriteBytes write) { return codec::otlp::EncodeLogsJson(batch, write); });
}

}  // namespace

std::vector<Endpoint> SignalEndpoints() {
  using Kind = Parameter::Kind;
  return {{.path = "/trace/{id}",
           .summary = "the spans of a trace",
           .parameters = {},
           .handler = GetTrace},
          {.path = "/logs",
           .summary = "log records",
           .parameters = RangeParameters(
               {{.name = "trace", .summary = "only records of this trace"},
                {.name = "span", .summary = "only records of this span of the trace"},
                {.name = "severity", .kind = Kind::kNumber, .summary = "this or worse, 1 to 24"},
                {.name = "limit",
                 .kind = Kind::kNumber,
                 .summary = "at most so many",
                 .otherwise = "1000"}}),
           .handler = GetLogs}};
}

}  // namespace flarestack::server::api
