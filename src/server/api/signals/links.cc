// SPDX-License-Identifier: Apache-2.0
#include "server/api/endpoints.h"

#include "base/status.h"
#include "model/trace.h"
#include "net/http/http_target.h"
#include "query/traces/links.h"
#include "server/api/parameters.h"
#include "server/api/scope_reader.h"
#include "server/api/signals/log_id.h"

namespace flarestack::server::api {
namespace {

std::string_view QualityName(query::LinkQuality quality) {
  return quality == query::LinkQuality::kExact ? "exact" : "inferred";
}

std::string UrlOf(const query::LinkedRequest& request) {
  std::string url = base::StrCat(kPrefix, request.path);
  char separator = '?';
  for (const auto& [name, value] : request.parameters) {
    url += separator;
    base::StrAppend(&url, name, "=", net::PercentEncode(value));
    separator = '&';
  }
  return url;
}

absl::StatusOr<query::Links> Find(const Call& call, const query::ReadLimits& limits) {
  store::SpanRef span;
  FLARE_ASSIGN(span.trace_id, ReadId(call.Text("trace"), model::kTraceIdBytes, "trace"));
  FLARE_ASSIGN(span.span_id, ReadId(call.Text("span"), model::kSpanIdBytes, "span"));
  if (!span.trace_id.empty())
    return query::LinksOfSpan(call.source(), span, limits);
  if (!span.span_id.empty())
    return absl::InvalidArgumentError("`span` also needs `trace`");
  if (const auto log = call.Find("log"))
    return LinksOfLog(call.source(), *log, limits);
  FLARE_ASSIGN(const query::ProfileScope scope, ReadScope(call));
  if (const auto function = call.Find("fn"))
    return query::LinksOfFunction(call.source(), std::string(*function), scope, limits);
  return query::LinksOfTime(call.source(), std::string(call.Text("metric")), scope, limits);
}

absl::StatusOr<Answer> GetLinks(Call& call) {
  ScopeReader reader(call);
  const query::ReadLimits limits = reader.Limits();
  FLARE_ASSIGN(const query::Links found, Find(call, limits));
  Json links = Json::array();
  for (const query::SignalLink& link : found.links) {
    links.push_back({{"to", link.to},
                     {"what", link.what},
                     {"quality", QualityName(link.quality)},
                     {"count", link.count},
                     {"is_capped", link.is_capped},
                     {"url", UrlOf(link.show)}});
  }
  Answer response;
  response.json = {{"links", std::move(links)}};
  for (const query::SpanCost& cost : found.cost) {
    response.json["cost"] = {{"quality", QualityName(cost.quality)},
                             {"duration_ns", cost.duration_nanos},
                             {"on_cpu_ns", cost.on_cpu_nanos},
                             {"off_cpu_ns", cost.off_cpu_nanos},
                             {"unaccounted_ns", cost.unaccounted_nanos()}};
  }
  if (found.links.empty())
    response.empty = {{"reason", "no related data is stored"}};
  return response;
}

}  // namespace

std::vector<Endpoint> LinkEndpoints() {
  return {{.path = "/links",
           .summary = "related data in other signals for one object",
           .parameters = RangeParameters({kTimeoutParameter,
                                          {.name = "trace", .summary = "trace id"},
                                          {.name = "span", .summary = "span id in the trace"},
                                          {.name = "log", .summary = "log record id"},
                                          {.name = "fn", .summary = "function name"},
                                          {.name = "metric", .summary = "metric name"},
                                          {.name = "type", .summary = "profile type, for `fn`"}}),
           .responses = {"Links"},
           .handler = GetLinks}};
}

}  // namespace flarestack::server::api
