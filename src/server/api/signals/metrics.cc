// SPDX-License-Identifier: Apache-2.0
#include "server/api/endpoints.h"

#include <map>
#include <set>

#include "base/status.h"
#include "base/text/encoding.h"
#include "model/attribute_text.h"
#include "query/metrics/metric_interval.h"
#include "query/metrics/metric_query.h"
#include "server/api/empty_reason.h"
#include "server/api/parameters.h"
#include "server/api/scope_reader.h"
#include "server/api/value_json.h"

namespace flarestack::server::api {
namespace {

constexpr size_t kSeriesMax = 100'000;  // scanned for a list
constexpr size_t kPointsMax = 500'000;  // read for a chart
constexpr size_t kMetricsMax = 10'000;
constexpr size_t kTopMax = 100;
constexpr size_t kGroupKeysMax = 8;
constexpr uint64_t kStepMax = 366ull * 24 * 3'600'000'000'000;
// A rate needs the counter's value before the range, and this is how far back to look for it. The
// first step has no rate if the sender reports less often.
constexpr uint64_t kLookBack = 5ull * 60'000'000'000;

std::string_view TypeText(model::MetricKind kind) {
  switch (kind) {
    case model::MetricKind::kNone:
      return "none";
    case model::MetricKind::kGauge:
      return "gauge";
    case model::MetricKind::kSum:
      return "sum";
    case model::MetricKind::kHistogram:
      return "histogram";
    case model::MetricKind::kExponentialHistogram:
      return "exponential_histogram";
    case model::MetricKind::kSummary:
      return "summary";
  }
  return "";
}

// One row per name, type and unit.
struct MetricRow {
  std::string description;
  bool is_monotonic = false;
  size_t series_count = 0;
  std::set<std::string> services;
  std::set<std::string> attributes;
};
using MetricRows = std::map<std::tuple<std::string, std::string_view, std::string>, MetricRow>;

MetricRows ToRows(const std::vector<store::MetricSeries>& list) {
  MetricRows rows;
  for (const store::MetricSeries& series : list) {
    MetricRow& row = rows[{series.name, TypeText(series.kind), series.unit}];
    row.description = series.description;
    row.is_monotonic |= series.is_monotonic;
    ++row.series_count;
    for (const auto& [key, value] : series.resource_attributes) {
      if (model::SameAttributeKey(key, "service.name"))
        row.services.insert(value);
    }
    for (const auto& [key, value] : series.point_attributes)
      row.attributes.insert(key);
  }
  return rows;
}

Json EmptyList(bool has_any, const std::vector<store::Matcher>& matchers) {
  EmptyFindings findings = {.is_found_without_all = has_any};
  if (has_any && matchers.size() == 1)
    findings.excluded_by.push_back(store::SelectorText(matchers));
  return EmptyJson(findings);
}

absl::StatusOr<Answer> GetMetrics(Call& call) {
  store::MetricQuery query = {.limit = kSeriesMax};
  FLARE_ASSIGN(query.matchers, ReadSelector(call));
  FLARE_ASSIGN(const uint64_t limit,
               ReadNumber(call, "limit", {.fallback = 1000, .min = 1, .max = kMetricsMax}));
  FLARE_ASSIGN(const std::vector<store::MetricSeries> list, call.source().ListMetrics(query));
  Answer response;
  response.scanned.parts = list.size();
  Json metrics = Json::array();
  const MetricRows rows = ToRows(list);
  for (const auto& [key, row] : rows) {
    if (metrics.size() == limit)
      break;
    const auto& [name, type, unit] = key;
    metrics.push_back({{"name", name},
                       {"type", type},
                       {"unit", unit},
                       {"description", row.description},
                       {"is_monotonic", row.is_monotonic},
                       {"series", row.series_count},
                       {"services", row.services},
                       {"attributes", row.attributes}});
  }
  response.json["metrics"] = std::move(metrics);
  if (rows.size() > limit)
    response.scanned.missing = base::StrCat(rows.size() - limit, " metrics beyond the limit");
  else if (list.size() == kSeriesMax)
    response.scanned.missing = base::StrCat("series beyond the first ", kSeriesMax);
  if (list.empty()) {
    FLARE_ASSIGN(const auto any, call.source().ListMetrics({.limit = 1}));
    response.json["empty"] = EmptyList(!any.empty(), query.matchers);
  }
  return response;
}

struct MetricRequest {
  store::TimeRange range;
  std::optional<uint64_t> step;  // nullopt: chosen from the range and the number of points
  store::MetricQuery query;
  query::MetricOptions options;
};

absl::StatusOr<MetricRequest> ReadMetricRequest(const Call& call) {
  MetricRequest request;
  request.query.name = std::string(call.Text("name"));
  if (request.query.name.empty())
    return absl::InvalidArgumentError("`name` must be the name of a metric; /metrics lists them");
  FLARE_ASSIGN(request.query.matchers, ReadSelector(call));
  FLARE_ASSIGN(request.range, ReadRange(call));
  if (call.Find("step").has_value()) {
    FLARE_ASSIGN(request.step, ReadDuration(call, "step", ""));
    if (*request.step > kStepMax)
      return absl::InvalidArgumentError("`step` must not be longer than a year");
  }
  FLARE_ASSIGN(request.options.grid, query::MakeGrid(request.range, request.step));
  const uint64_t begin = request.options.grid.begin;
  request.query.range = {.from = begin - std::min(begin, kLookBack), .to = request.range.to};
  request.query.limit = kPointsMax;
  if (call.Find("agg").has_value()) {
    FLARE_ASSIGN(request.options.aggregate, query::ParseAggregate(call.Text("agg")));
  }
  FLARE_ASSIGN(const uint64_t is_rate, ReadNumber(call, "rate", {.max = 1}));
  request.options.is_rate = is_rate == 1;
  FLARE_ASSIGN(request.options.top,
               ReadNumber(call, "top", {.fallback = 10, .min = 1, .max = kTopMax}));
  for (const std::string_view key : call.request.query.FindAll("by"))
    request.options.by.emplace_back(key);
  if (request.options.by.size() > kGroupKeysMax)
    return absl::InvalidArgumentError(
        base::StrCat("`by` may be given ", kGroupKeysMax, " times at most"));
  return request;
}

Json LineJson(const query::MetricLine& line, const std::vector<std::string>& by) {
  Json key = Json::object();
  for (size_t i = 0; i < line.key.size(); ++i)
    key[by[i]] = line.key[i];
  Json values = Json::array();
  for (const double value : line.values)
    values.push_back(NumberJson(value));
  Json exemplars = Json::array();
  for (const query::MetricExemplar& at : line.exemplars) {
    exemplars.push_back({{"time", TimeJson(at.time)},
                         {"value", NumberJson(at.value)},
                         {"trace_id", base::HexEncode(at.trace_id)},
                         {"span_id", base::HexEncode(at.span_id)}});
  }
  return {{"key", std::move(key)},
          {"is_other", line.is_rest},
          {"groups", line.group_count},
          {"series", line.series_count},
          {"interval", line.interval_nanos},
          {"values", std::move(values)},
          {"exemplars", std::move(exemplars)}};
}

// Uses the list of series, which is cheaper than reading points.
absl::StatusOr<Json> ExplainNoPoints(const Call& call, const store::MetricQuery& query) {
  const auto finds = [&](std::vector<store::Matcher> matchers) -> absl::StatusOr<bool> {
    FLARE_ASSIGN(const auto list,
                 call.source().ListMetrics(
                     {.name = query.name, .matchers = std::move(matchers), .limit = 1}));
    return !list.empty();
  };
  FLARE_ASSIGN(const bool has_name, finds({}));
  if (!has_name) {
    Json json = EmptyJson({});
    json["reason"] = "no such metric";
    json["excluded_by"] = Json::array({base::StrCat("name=", query.name)});
    return json;
  }
  FLARE_ASSIGN(const bool has_series, finds(query.matchers));
  if (has_series)
    return EmptyJson({});
  EmptyFindings findings = {.is_found_without_all = true};
  for (size_t i = 0; i < query.matchers.size(); ++i) {
    std::vector<store::Matcher> others = query.matchers;
    others.erase(others.begin() + static_cast<ptrdiff_t>(i));
    FLARE_ASSIGN(const bool found, finds(std::move(others)));
    if (found)
      findings.excluded_by.push_back(store::SelectorText({query.matchers[i]}));
  }
  return EmptyJson(findings);
}

absl::StatusOr<Answer> QueryMetrics(Call& call) {
  FLARE_ASSIGN(MetricRequest request, ReadMetricRequest(call));
  base::ByteLease lease(call.budget);
  request.query.try_reserve = [&](uint64_t bytes) { return lease.GrowTo(bytes); };
  const auto batch = call.source().SelectMetrics(request.query);
  if (absl::IsResourceExhausted(batch.status()))
    return WithHint(batch.status(), "narrow `q`, shorten the range, or retry later");
  FLARE_RETURN_IF_ERROR(batch.status());
  if (!request.step.has_value()) {
    const uint64_t interval = query::TypicalInterval(*batch);
    FLARE_ASSIGN(request.options.grid, query::MakeGrid(request.range, std::nullopt, interval));
  }
  FLARE_ASSIGN(const query::MetricResult found, query::QueryMetric(*batch, request.options));
  Answer response;
  response.scanned.parts = batch->metrics.size();
  response.scanned.samples = model::CountPoints(*batch);
  if (response.scanned.samples >= kPointsMax) {
    response.scanned.missing =
        base::StrCat("points after the first ", kPointsMax, ": narrow `q` or shorten the range");
  }
  Json lines = Json::array();
  for (const query::MetricLine& line : found.lines)
    lines.push_back(LineJson(line, request.options.by));
  response.json = {{"name", request.query.name},
                   {"type", TypeText(found.kind)},
                   {"unit", found.unit},
                   {"description", found.description},
                   {"is_monotonic", found.is_monotonic},
                   {"agg", query::AggregateText(found.aggregate)},
                   {"is_rate", request.options.is_rate},
                   {"start", TimeJson(request.options.grid.begin)},
                   {"step", request.options.grid.step},
                   {"lines", std::move(lines)}};
  if (found.lines.empty()) {
    FLARE_ASSIGN(response.json["empty"], ExplainNoPoints(call, request.query));
  }
  return response;
}

}  // namespace

std::vector<Endpoint> MetricEndpoints() {
  using Kind = Parameter::Kind;
  return {{.path = "/metrics",
           .summary = "list stored metrics",
           .parameters = {kTimeoutParameter,
                          {.name = "q", .summary = "selector over resource and point attributes"},
                          {.name = "limit",
                           .kind = Kind::kNumber,
                           .summary = "maximum names, up to 10000",
                           .fallback = "1000"}},
           .responses = {"Metrics"},
           .handler = GetMetrics},
          {.path = "/metrics/query",
           .summary = "values of a metric over time, as lines",
           .parameters = RangeParameters(
               {kTimeoutParameter,
                {.name = "name", .summary = "metric name"},
                {.name = "step",
                 .summary = "step, such as 30s; at most 2000 steps; default about 300 steps, not "
                            "shorter than the point interval"},
                {.name = "by",
                 .kind = Kind::kTexts,
                 .summary = "attribute to group by, one line per value; repeatable"},
                {.name = "agg",
                 .summary = "sum, avg, min, max; for histograms also count and p50 to p99.9"},
                {.name = "rate",
                 .kind = Kind::kNumber,
                 .summary = "1: per-second rate of a counter",
                 .fallback = "0"},
                {.name = "top",
                 .kind = Kind::kNumber,
                 .summary =
                     "maximum lines, largest first, up to 100; the rest are summed into one more",
                 .fallback = "10"}}),
           .responses = {"MetricLines"},
           .handler = QueryMetrics}};
}

}  // namespace flarestack::server::api
