// SPDX-License-Identifier: Apache-2.0
#include "server/api/endpoints.h"

#include <algorithm>
#include <array>

#include "base/status.h"
#include "base/text/encoding.h"
#include "codec/otlp/signals/signals_json.h"
#include "query/metrics/metric_query.h"
#include "query/scope/time_expression.h"
#include "query/traces/span_tree.h"
#include "server/api/empty_reason.h"
#include "server/api/otlp_json.h"
#include "server/api/parameters.h"
#include "server/api/scope_reader.h"
#include "server/api/signals/log_facets.h"
#include "server/api/signals/log_id.h"
#include "server/api/value_json.h"

namespace flarestack::server::api {
namespace {

using Conditions = std::vector<Condition<store::LogQuery>>;

constexpr size_t kLogsMax = 10'000;
constexpr uint64_t kVolumeMax = 300'000;  // records counted
constexpr uint64_t kFacetValuesMax = 1000;

absl::StatusOr<int32_t> ReadSeverity(const Call& call) {
  const auto name = std::ranges::find(kSeverityNames, call.Text("severity"));
  if (name != kSeverityNames.end())
    return static_cast<int32_t>((name - kSeverityNames.begin()) * 4 + 1);
  const auto number = ReadNumber(call, "severity", {.max = 24});
  if (!number.ok()) {
    return absl::InvalidArgumentError(
        "`severity` must be trace, debug, info, warn, error, fatal, or a number from 0 to 24");
  }
  return static_cast<int32_t>(*number);
}

// Logs of a trace are searched over all time by default. Without `to` the range is open: the clocks
// of senders may be ahead.
absl::StatusOr<store::TimeRange> ReadLogRange(const Call& call, bool is_of_trace) {
  store::TimeRange range;
  FLARE_ASSIGN(range.from,
               query::ParseTime(call.Text("from", is_of_trace ? "0" : "now-1h"), call.now_nanos));
  if (const auto text = call.Find("to")) {
    FLARE_ASSIGN(range.to, query::ParseTime(*text, call.now_nanos));
  }
  if (range.from >= range.to)
    return absl::InvalidArgumentError("`from` must be before `to`");
  return range;
}

absl::Status ReadOrderAndCursor(const Call& call, store::LogQuery* query) {
  const std::string_view order = call.Text("order", IsOtlp(call) ? "asc" : "desc");
  if (order != "asc" && order != "desc")
    return absl::InvalidArgumentError("`order` must be asc or desc");
  query->order = order == "asc" ? store::TimeOrder::kOldestFirst : store::TimeOrder::kNewestFirst;
  const auto after = base::HexDecode(call.Text("cursor"));
  if (!after.has_value())
    return absl::InvalidArgumentError("`cursor` must be `next` of an earlier response");
  query->after = *after;
  return absl::OkStatus();
}

absl::StatusOr<store::LogQuery> ReadLogQuery(const Call& call) {
  store::LogQuery query;
  FLARE_ASSIGN(query.matchers, ReadSelector(call));
  FLARE_ASSIGN(query.trace_id, ReadId(call.Text("trace"), model::kTraceIdBytes, "`trace`"));
  FLARE_ASSIGN(query.span_id, ReadId(call.Text("span"), model::kSpanIdBytes, "`span`"));
  if (!query.span_id.empty() && query.trace_id.empty())
    return absl::InvalidArgumentError("`span` also needs `trace`");
  FLARE_ASSIGN(query.severity_min, ReadSeverity(call));
  FLARE_ASSIGN(TextOrPattern text, ReadTextOrPattern(call, "text"));
  query.body_part = std::move(text.text);
  query.body_pattern = std::move(text.pattern);
  FLARE_ASSIGN(query.limit,
               ReadNumber(call, "limit", {.fallback = 1000, .min = 1, .max = kLogsMax}));
  FLARE_ASSIGN(query.range, ReadLogRange(call, !query.trace_id.empty()));
  FLARE_RETURN_IF_ERROR(ReadOrderAndCursor(call, &query));
  return query;
}

Conditions ConditionsOf(const Call& call, const store::LogQuery& query) {
  Conditions conditions = MatcherConditions(query);
  const auto add = [&](std::string_view name, std::function<void(store::LogQuery*)> drop) {
    if (call.Find(name).has_value())
      conditions.push_back({base::StrCat(name, "=", call.Text(name)), std::move(drop)});
  };
  add("severity", [](store::LogQuery* changed) { changed->severity_min = 0; });
  add("text", [](store::LogQuery* changed) {
    changed->body_part.clear();
    changed->body_pattern.reset();
  });
  add("span", [](store::LogQuery* changed) { changed->span_id.clear(); });
  add("trace", [](store::LogQuery* changed) {
    changed->trace_id.clear();
    changed->span_id.clear();
  });
  return conditions;
}

Json RecordJson(const model::LogBatch& batch, const model::LogRecord& record,
                const std::string& service) {
  Json json = {{"id", LogId(batch, record)},
               {"time", TimeJson(record.time_unix_nano)},
               {"severity", static_cast<int32_t>(record.severity_number)},
               {"severity_text", record.severity_text},
               {"service", service},
               {"body", ValueJson(batch, record.body)},
               {"attributes", AttributesJson(batch, record.attributes)},
               {"trace_id", base::HexEncode(record.trace_id)},
               {"span_id", base::HexEncode(record.span_id)}};
  if (!record.event_name.empty())
    json["event_name"] = record.event_name;
  return json;
}

// Sorts by time, because a batch groups records by resource.
Json RecordsJson(const model::LogBatch& batch, store::TimeOrder order) {
  struct Row {
    uint64_t time = 0;
    Json json;
  };
  std::vector<Row> rows;
  for (const model::Resource& resource : batch.resources) {
    const std::string service = query::ServiceName(batch, resource);
    for (const model::ItemScope& scope : model::In(batch.scopes, resource.scopes)) {
      for (const model::LogRecord& record : model::In(batch.log_records, scope.items))
        rows.push_back({record.time_unix_nano, RecordJson(batch, record, service)});
    }
  }
  std::ranges::stable_sort(rows, [&](const Row& a, const Row& b) {
    return order == store::TimeOrder::kOldestFirst ? a.time < b.time : a.time > b.time;
  });
  Json records = Json::array();
  for (Row& row : rows)
    records.push_back(std::move(row.json));
  return records;
}

absl::StatusOr<std::optional<uint64_t>> FirstRecord(const query::DataSource& source,
                                                    const store::LogQuery& query) {
  FLARE_ASSIGN(const store::SelectedLogs found, source.SelectLogs(query));
  if (found.log_records.empty())
    return std::nullopt;
  return found.log_records[0].time_unix_nano;
}

absl::StatusOr<Answer> GetLogs(Call& call) {
  FLARE_RETURN_IF_ERROR(CheckFormat(call));
  FLARE_ASSIGN(const store::LogQuery query, ReadLogQuery(call));
  FLARE_ASSIGN(const store::SelectedLogs selected, call.source().SelectLogs(query));
  if (IsOtlp(call)) {
    return OtlpJson(
        [&](codec::WriteBytes write) { return codec::otlp::EncodeLogsJson(selected, write); });
  }
  Answer response;
  response.scanned.samples = selected.log_records.size();
  response.json["records"] = RecordsJson(selected, query.order);
  response.json["next"] = selected.next.empty() ? Json() : Json(base::HexEncode(selected.next));
  if (selected.log_records.empty() && query.after.empty()) {
    FLARE_ASSIGN(response.json["empty"],
                 ExplainEmpty<store::LogQuery>({.query = query,
                                                .conditions = ConditionsOf(call, query),
                                                .first_time = [&](const store::LogQuery& changed) {
                                                  return FirstRecord(call.source(), changed);
                                                }}));
  }
  return response;
}

// Counts records by severity and step.
class Volume {
 public:
  explicit Volume(const query::StepGrid& grid) : grid_(grid) {}

  void Add(const model::LogBatch& batch) {
    for (const model::LogRecord& record : batch.log_records) {
      const size_t line = SeverityLine(record);
      const auto step = grid_.Find(record.time_unix_nano);
      if (!step.has_value())
        continue;
      lines_[line].resize(grid_.count);
      ++lines_[line][*step];
      ++count_;
    }
  }

  uint64_t count() const { return count_; }

  Json ToJson() const {
    Json lines = Json::array();
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (!lines_[i].empty()) {
        lines.push_back({{"severity", i == 0 ? std::string_view("none") : kSeverityNames[i - 1]},
                         {"values", lines_[i]}});
      }
    }
    return {{"start", TimeJson(grid_.begin)},
            {"step", grid_.step},
            {"count", count_},
            {"lines", std::move(lines)}};
  }

 private:
  const query::StepGrid grid_;
  uint64_t count_ = 0;
  std::array<std::vector<uint64_t>, kSeverityNames.size() + 1> lines_;  // index 0: no severity
};

absl::StatusOr<Answer> GetVolume(Call& call) {
  FLARE_ASSIGN(store::LogQuery query, ReadLogQuery(call));
  if (!call.Find("to").has_value())
    query.range.to = std::max(call.now_nanos, query.range.from + 1);
  FLARE_ASSIGN(const query::StepGrid grid, query::MakeGrid(query.range, std::nullopt));
  FLARE_ASSIGN(const uint64_t facet_values,
               ReadNumber(call, "facets", {.fallback = 0, .max = kFacetValuesMax}));
  query.limit = kLogsMax;
  Volume volume(grid);
  LogFacets facets;
  Answer response;
  do {
    FLARE_ASSIGN(const store::SelectedLogs page, call.source().SelectLogs(query));
    volume.Add(page);
    if (facet_values > 0)
      facets.Add(page);
    query.after = page.next;
    if (!query.after.empty() && volume.count() >= kVolumeMax) {
      response.scanned.missing = base::StrCat("only the newest ", volume.count(),
                                              " records were counted: shorten the range");
      break;
    }
  } while (!query.after.empty());
  response.scanned.samples = volume.count();
  response.json = volume.ToJson();
  if (facet_values > 0)
    response.json["facets"] = facets.ToJson(facet_values);
  return response;
}

constexpr Parameter kSeverityParameter = {
    .name = "severity",
    .summary = "minimum severity: trace, debug, info, warn, error, fatal, or 1 to 24"};
constexpr Parameter kTraceParameter = {.name = "trace",
                                       .summary = "only records of this trace, at any time"};
constexpr Parameter kSpanParameter = {.name = "span",
                                      .summary = "only records of this span of the trace"};
constexpr Parameter kTextParameter = {.name = "text", .summary = "text in the body, or /regex/"};

Endpoint LogVolumeEndpoint() {
  return {.path = "/logs/volume",
          .summary = "log record counts over time, by severity",
          .parameters = RangeParameters(
              {kTimeoutParameter,
               kTraceParameter,
               kSpanParameter,
               kSeverityParameter,
               kTextParameter,
               {.name = "facets",
                .kind = Parameter::Kind::kNumber,
                .summary = "also count by service, severity and pattern: this many values of each",
                .fallback = "0"}}),
          .responses = {"LogVolume"},
          .handler = GetVolume};
}

Endpoint LogsEndpoint() {
  using Kind = Parameter::Kind;
  return {.path = "/logs",
          .summary = "log records, paginated",
          .parameters = RangeParameters(
              {kTimeoutParameter,
               kTraceParameter,
               kSpanParameter,
               kSeverityParameter,
               kTextParameter,
               {.name = "order", .summary = "asc (oldest first) or desc", .fallback = "desc"},
               {.name = "cursor", .summary = "`next` of the previous response"},
               {.name = "limit",
                .kind = Kind::kNumber,
                .summary = "maximum records, up to 10000",
                .fallback = "1000"},
               FormatParameter()}),
          .responses = {"Logs", "OtlpLogs"},
          .handler = GetLogs};
}

}  // namespace

std::vector<Endpoint> LogEndpoints() { return {LogsEndpoint(), LogVolumeEndpoint()}; }

}  // namespace flarestack::server::api
