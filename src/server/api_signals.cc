// SPDX-License-Identifier: Apache-2.0
#include "server/api_signals.h"

#include <charconv>

#include "base/encoding.h"
#include "base/status.h"
#include "codec/otlp/logs_json.h"
#include "codec/otlp/traces_json.h"
#include "query/time_expression.h"
#include "server/api_error.h"

namespace flarestack::server {
namespace {

constexpr size_t kLogsMax = 10'000;

absl::StatusOr<std::string> ReadId(std::string_view text, size_t bytes, std::string_view what) {
  std::optional<std::string> id = base::HexDecode(text);
  if (!id.has_value() || id->size() != bytes) {
    return absl::InvalidArgumentError(
        base::StrCat(what, " must be ", bytes * 2, " hexadecimal digits"));
  }
  return *std::move(id);
}

template <typename Number>
absl::StatusOr<Number> ReadNumber(std::string_view text, std::string_view what) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return absl::InvalidArgumentError(base::StrCat(what, " must be a number"));
  return number;
}

absl::StatusOr<store::LogQuery> ReadLogQuery(const net::HttpRequest& request, uint64_t now_nanos) {
  store::LogQuery query;
  query.limit = 1000;
  if (const auto text = request.query.Find("q")) {
    FLARE_ASSIGN(query.matchers, store::ParseSelector(*text));
  }
  if (const auto text = request.query.Find("trace")) {
    FLARE_ASSIGN(query.trace_id, ReadId(*text, model::kTraceIdBytes, "trace"));
  }
  if (const auto text = request.query.Find("span")) {
    if (query.trace_id.empty())
      return absl::InvalidArgumentError("a span is found by its trace: give `trace` as well");
    FLARE_ASSIGN(query.span_id, ReadId(*text, model::kSpanIdBytes, "span"));
  }
  if (const auto text = request.query.Find("severity")) {
    FLARE_ASSIGN(query.severity_min, ReadNumber<int32_t>(*text, "severity"));
  }
  if (const auto text = request.query.Find("limit")) {
    FLARE_ASSIGN(const size_t limit, ReadNumber<size_t>(*text, "limit"));
    if (limit == 0)
      return absl::InvalidArgumentError("limit must be 1 or more");
    query.limit = std::min(limit, kLogsMax);
  }
  // A trace is asked for whenever it was; a search has a range.
  const std::string_view from = query.trace_id.empty() ? "now-1h" : "0";
  FLARE_ASSIGN(query.range.from,
               query::ParseTime(request.query.Find("from").value_or(from), now_nanos));
  if (const auto text = request.query.Find("to")) {
    FLARE_ASSIGN(query.range.to, query::ParseTime(*text, now_nanos));
  }
  return query;
}

template <typename Encode>
net::HttpResponse Json(Encode encode) {
  net::HttpResponse response;
  const absl::Status status = encode([&](std::string_view bytes) {
    response.body += bytes;
    return absl::OkStatus();
  });
  if (!status.ok())
    return ApiError(status);
  response.headers.Set("Content-Type", "application/json");
  return response;
}

}  // namespace

net::HttpResponse GetTrace(store::Store* store, const net::HttpRequest& request) {
  const auto id =
      ReadId(request.path_parameters.Find("id").value_or(""), model::kTraceIdBytes, "the trace id");
  if (!id.ok())
    return ApiError(id.status());
  const auto batch = store->SelectTrace(*id);
  if (!batch.ok())
    return ApiError(batch.status());
  if (batch->spans.empty())
    return ApiError(absl::NotFoundError("no span of this trace is stored"));
  return Json(
      [&](codec::WriteBytes write) { return codec::otlp::EncodeTracesJson(*batch, write); });
}

net::HttpResponse GetLogs(store::Store* store, const net::HttpRequest& request,
                          uint64_t now_nanos) {
  const auto query = ReadLogQuery(request, now_nanos);
  if (!query.ok())
    return ApiError(query.status());
  const auto batch = store->SelectLogs(*query);
  if (!batch.ok())
    return ApiError(batch.status());
  return Json([&](codec::WriteBytes write) { return codec::otlp::EncodeLogsJson(*batch, write); });
}

}  // namespace flarestack::server
