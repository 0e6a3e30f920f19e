// SPDX-License-Identifier: Apache-2.0
#include "server/api/endpoints.h"

#include "base/status.h"
#include "base/text/encoding.h"
#include "query/traces/trace_search.h"
#include "server/api/empty_reason.h"
#include "server/api/parameters.h"
#include "server/api/scope_reader.h"
#include "server/api/value_json.h"

namespace flarestack::server::api {
namespace {

using Conditions = std::vector<Condition<store::SpanQuery>>;

constexpr size_t kTracesMax = 500;
constexpr size_t kAttributesMax = 20;

absl::StatusOr<model::SpanStatusCode> ReadStatus(std::string_view text) {
  for (const auto status :
       {model::SpanStatusCode::kUnset, model::SpanStatusCode::kOk, model::SpanStatusCode::kError}) {
    if (text == StatusText(status))
      return status;
  }
  return absl::InvalidArgumentError("`status` must be ok, error or unset");
}

absl::StatusOr<store::Matcher> ReadAttribute(std::string_view text) {
  const size_t equal = text.find('=');
  if (equal == std::string_view::npos || equal == 0)
    return absl::InvalidArgumentError("`attr` must be KEY=VALUE, such as http.route=/buy");
  return store::Matcher::Make(std::string(text.substr(0, equal)), store::Matcher::Kind::kEqual,
                              std::string(text.substr(equal + 1)));
}

// Reads the conditions one by one, and records how to drop each.
class SearchReader {
 public:
  explicit SearchReader(const Call& call) : call_(call) {}

  absl::Status Read() {
    FLARE_ASSIGN(query.range, ReadRange(call_));
    FLARE_ASSIGN(query.matchers, ReadSelector(call_));
    if (const auto service = call_.Find("service")) {
      FLARE_ASSIGN(store::Matcher matcher,
                   store::Matcher::Make("service.name", store::Matcher::Kind::kEqual,
                                        std::string(*service)));
      query.matchers.push_back(std::move(matcher));
    }
    conditions = MatcherConditions(query);
    FLARE_RETURN_IF_ERROR(ReadName());
    FLARE_RETURN_IF_ERROR(ReadDurations());
    if (const auto text = call_.Find("status")) {
      FLARE_ASSIGN(query.status, ReadStatus(*text));
      Add("status", *text, [](store::SpanQuery* changed) { changed->status.reset(); });
    }
    return ReadAttributes();
  }

  store::SpanQuery query;
  Conditions conditions;

 private:
  void Add(std::string_view name, std::string_view value,
           std::function<void(store::SpanQuery*)> drop) {
    conditions.push_back({base::StrCat(name, "=", value), std::move(drop)});
  }

  absl::Status ReadName() {
    FLARE_ASSIGN(TextOrPattern name, ReadTextOrPattern(call_, "name"));
    query.name = std::move(name.text);
    query.name_pattern = std::move(name.pattern);
    if (call_.Find("name").has_value()) {
      Add("name", call_.Text("name"), [](store::SpanQuery* changed) {
        changed->name.clear();
        changed->name_pattern.reset();
      });
    }
    return absl::OkStatus();
  }

  absl::Status ReadDurations() {
    if (const auto text = call_.Find("min_duration")) {
      FLARE_ASSIGN(query.duration_min_nanos, ReadDuration(call_, "min_duration", ""));
      Add("min_duration", *text,
          [](store::SpanQuery* changed) { changed->duration_min_nanos = 0; });
    }
    if (const auto text = call_.Find("max_duration")) {
      FLARE_ASSIGN(query.duration_max_nanos, ReadDuration(call_, "max_duration", ""));
      Add("max_duration", *text,
          [](store::SpanQuery* changed) { changed->duration_max_nanos = UINT64_MAX; });
    }
    if (query.duration_min_nanos > query.duration_max_nanos)
      return absl::InvalidArgumentError("`min_duration` must not exceed `max_duration`");
    return absl::OkStatus();
  }

  absl::Status ReadAttributes() {
    const auto texts = call_.request.query.FindAll("attr");
    if (texts.size() > kAttributesMax)
      return absl::InvalidArgumentError(
          base::StrCat("`attr` may be given ", kAttributesMax, " times at most"));
    for (size_t i = 0; i < texts.size(); ++i) {
      FLARE_ASSIGN(store::Matcher matcher, ReadAttribute(texts[i]));
      query.attributes.push_back(std::move(matcher));
      Add("attr", texts[i], [i](store::SpanQuery* changed) {
        changed->attributes.erase(changed->attributes.begin() + static_cast<ptrdiff_t>(i));
      });
    }
    return absl::OkStatus();
  }

  const Call& call_;
};

Json RowJson(const query::FoundTrace& trace) {
  const query::TraceSummary& summary = trace.summary;
  Json matches = Json::array();
  for (const std::string& id : trace.span_ids)
    matches.push_back(base::HexEncode(id));
  return {{"trace_id", base::HexEncode(trace.trace_id)},
          {"root",
           {{"service", summary.service},
            {"name", summary.name},
            {"start", TimeJson(summary.start)},
            {"duration", summary.duration_nanos},
            {"status", StatusText(summary.status)},
            {"is_orphan", !summary.has_root}}},
          {"spans", summary.span_count},
          {"errors", summary.error_count},
          {"services", summary.services},
          {"longest_match", trace.longest_nanos},
          {"matches", std::move(matches)}};
}

absl::StatusOr<std::optional<uint64_t>> FirstSpan(const query::DataSource& source,
                                                  const store::SpanQuery& query) {
  FLARE_ASSIGN(const store::SelectedSpans found, source.SelectSpans(query));
  if (found.spans.empty())
    return std::nullopt;
  return found.spans[0].start_time_unix_nano;
}

absl::StatusOr<Answer> GetTraces(Call& call) {
  SearchReader reader(call);
  FLARE_RETURN_IF_ERROR(reader.Read());
  query::TraceSearch search = {.spans = reader.query};
  FLARE_ASSIGN(search.limit,
               ReadNumber(call, "limit", {.fallback = 50, .min = 1, .max = kTracesMax}));
  const std::string_view sort = call.Text("sort", "start");
  if (sort != "start" && sort != "duration")
    return absl::InvalidArgumentError("`sort` must be start or duration");
  if (sort == "duration")
    search.sort = query::TraceSearch::Sort::kLongest;
  FLARE_ASSIGN(const query::FoundTraces found, query::FindTraces(call.source(), search));
  Answer response;
  response.scanned.samples = found.spans_scanned;
  if (!found.is_complete) {
    response.scanned.missing =
        base::StrCat("only the newest ", found.spans_scanned,
                     " matching spans were searched: shorten the range or add a condition");
  }
  Json rows = Json::array();
  for (const query::FoundTrace& trace : found.traces)
    rows.push_back(RowJson(trace));
  response.json["traces"] = std::move(rows);
  response.json["has_more"] = found.has_more;
  response.json["next"] = found.next_to == 0 ? Json() : TimeJson(found.next_to);
  if (found.traces.empty()) {
    FLARE_ASSIGN(response.json["empty"],
                 ExplainEmpty<store::SpanQuery>({.query = reader.query,
                                                 .conditions = std::move(reader.conditions),
                                                 .first_time = [&](const store::SpanQuery& query) {
                                                   return FirstSpan(call.source(), query);
                                                 }}));
  }
  return response;
}

}  // namespace

Endpoint TracesEndpoint() {
  using Kind = Parameter::Kind;
  return {.path = "/traces",
          .summary = "traces with a span that matches all conditions",
          .parameters = RangeParameters(
              {kTimeoutParameter,
               {.name = "service", .summary = "service.name of the span's resource"},
               {.name = "name", .summary = "span name: exact, or /regex/"},
               {.name = "min_duration", .summary = "minimum span duration, such as 20ms"},
               {.name = "max_duration", .summary = "maximum span duration"},
               {.name = "status", .summary = "span status: ok, error or unset"},
               {.name = "attr",
                .kind = Kind::kTexts,
                .summary = "KEY=VALUE, span attribute; repeatable, all must match"},
               {.name = "sort",
                .summary = "start (newest first) or duration (longest matching span)",
                .fallback = "start"},
               {.name = "limit",
                .kind = Kind::kNumber,
                .summary = "maximum traces, up to 500",
                .fallback = "50"}}),
          .responses = {"Traces"},
          .handler = GetTraces};
}

}  // namespace flarestack::server::api
