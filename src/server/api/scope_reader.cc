// SPDX-License-Identifier: Apache-2.0
#include "server/api/scope_reader.h"

#include <algorithm>

#include "base/status.h"
#include "model/trace.h"
#include "query/scope/emptiness.h"
#include "query/traces/span_scope.h"
#include "server/api/parameters.h"

namespace flarestack::server::api {
namespace {

absl::StatusOr<query::SpanReach> ReadReach(std::string_view text) {
  if (text == "self")
    return query::SpanReach::kSelf;
  if (text == "children")
    return query::SpanReach::kChildren;
  if (text == "thread")
    return query::SpanReach::kThread;
  return absl::InvalidArgumentError("`spanscope` must be self, children or thread");
}

// Reads the span parameters. `text` reads a parameter of one side of the comparison.
template <typename Text>
absl::Status ReadSpans(const Call& call, const Text& text, query::ProfileScope* scope) {
  store::SpanRef span;
  FLARE_ASSIGN(span.trace_id, ReadId(text("trace", ""), model::kTraceIdBytes, "trace"));
  FLARE_ASSIGN(span.span_id, ReadId(text("span", ""), model::kSpanIdBytes, "span"));
  if (!span.span_id.empty() && span.trace_id.empty())
    return absl::InvalidArgumentError("`span` also needs `trace`");
  if (const std::string_view name = text("spanname", ""); !name.empty())
    return query::LimitToSpansNamed(call.source(), name, scope);
  if (span.trace_id.empty())
    return absl::OkStatus();
  // By default, search for the samples of a trace over all time.
  if (!call.Find("from").has_value())
    scope->range = {};
  FLARE_ASSIGN(const query::SpanReach reach, ReadReach(text("spanscope", "self")));
  return query::LimitToSpan(call.source(), span, reach, scope);
}

}  // namespace

absl::StatusOr<query::ProfileScope> ReadScope(const Call& call, std::string_view prefix) {
  const auto text = [&](std::string_view name, std::string_view fallback) {
    const auto own = call.Find(base::StrCat(prefix, name));
    return own.has_value() ? *own : call.Text(name, fallback);
  };
  query::ProfileScope scope;
  FLARE_ASSIGN(scope.matchers, store::ParseSelector(text("q", "")));
  scope.type = text("type", call.data.default_type);
  const auto time = [&](std::string_view name) {
    const auto own = call.Find(base::StrCat(prefix, name));
    return own.has_value() || call.is_other_baseline ? own : call.Find(name);
  };
  FLARE_ASSIGN(scope.range.from, ReadTime(call, time("from"), TimeDefault::kBegin));
  FLARE_ASSIGN(scope.range.to, ReadTime(call, time("to"), TimeDefault::kEnd));
  if (scope.range.from >= scope.range.to)
    return absl::InvalidArgumentError(
        base::StrCat("`", prefix, "from` must be before `", prefix, "to`"));
  std::vector<std::string_view> steps = call.request.query.FindAll(base::StrCat(prefix, "f"));
  if (steps.empty())
    steps = call.request.query.FindAll("f");
  for (const std::string_view step : steps)
    FLARE_RETURN_IF_ERROR(base::WithContext(base::StrCat("f=", step), scope.filter.Add(step)));
  FLARE_RETURN_IF_ERROR(ReadSpans(call, text, &scope));
  return scope;
}

query::ReadLimits ScopeReader::Limits() {
  query::ReadLimits limits;
  limits.deadline = deadline_;
  limits.try_reserve = [lease = lease_.get()](uint64_t bytes) { return lease->GrowTo(bytes); };
  limits.progress = report_;
  return limits;
}

absl::StatusOr<query::ScopeStacks> ScopeReader::Stacks(const query::ProfileScope& scope) {
  auto stacks = query::ReadStacks(source_, scope, Limits());
  if (absl::IsResourceExhausted(stacks.status())) {
    return WithHint(stacks.status(), "use a shorter time range or fewer series, or retry later");
  }
  return stacks;
}

Scanned ScannedFrom(const query::ReadExtent& extent) {
  return {.parts = extent.parts, .samples = extent.rows, .missing = extent.missing};
}

absl::StatusOr<Json> EmptyFrom(const Call& call, const query::ProfileScope& scope,
                               const query::ScopeStacks& stacks) {
  if (!stacks.set.rows.empty())
    return Json();
  FLARE_ASSIGN(const query::Emptiness why,
               query::ExplainEmpty(call.source(), scope, stacks.total_before_filter != 0));
  Json json = {{"reason", why.reason}};
  if (!why.matcher.empty())
    json["matcher"] = why.matcher;
  if (!why.step.empty())
    json["step"] = why.step;
  if (!why.types.empty())
    json["types"] = why.types;
  if (why.nearest_nanos != 0)
    json["nearest"] = std::to_string(why.nearest_nanos);
  return json;
}

Json ProfileHead(const query::StackSet& set) {
  return {{"type", set.type}, {"unit", set.unit}, {"total", set.Total()}};
}

}  // namespace flarestack::server::api
