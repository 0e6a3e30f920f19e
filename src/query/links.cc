// SPDX-License-Identifier: Apache-2.0
#include "query/links.h"

#include <algorithm>
#include <map>

#include "base/clock.h"
#include "base/encoding.h"
#include "base/status.h"
#include "model/attribute_text.h"
#include "query/span_scope.h"
#include "query/span_tree.h"
#include "query/trace_costs.h"

namespace flarestack::query {
namespace {

constexpr size_t kItemsMax = 10'000;  // counted; where there are more, so many are said
constexpr size_t kTracesShown = 20;

using Parameters = std::vector<std::pair<std::string, std::string>>;

std::string Text(uint64_t number) { return std::to_string(number); }

void Add(SignalLink link, Links* links) {
  if (link.count != 0)
    links->links.push_back(std::move(link));
}

Parameters RangeOf(const store::TimeRange& range) {
  return {{"from", Text(range.from)}, {"to", Text(range.to)}};
}

Parameters Joined(Parameters first, const Parameters& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Parameters SelectorOf(const std::vector<store::Matcher>& matchers) {
  if (matchers.empty())
    return {};
  return {{"q", store::SelectorText(matchers)}};
}

absl::StatusOr<std::map<std::string, uint64_t>> CountByType(store::Store* store,
                                                            const ProfileScope& scope,
                                                            const ReadLimits& limits) {
  ReadExtent extent;
  store::ProfileQuery query = QueryFor(scope, limits, &extent);
  query.detail = store::Detail::kSamples;
  FLARE_ASSIGN(const model::Batch batch, store->SelectProfiles(query));
  std::map<std::string, uint64_t> by_type;
  for (const model::Profile& profile : batch.profiles) {
    uint64_t& count = by_type[base::StrCat(batch.dictionary.Text(profile.sample_type.type), ":",
                                           batch.dictionary.Text(profile.sample_type.unit))];
    for (const model::Sample& sample : model::In(batch.samples, profile.samples))
      count += std::max(sample.timestamps.count, sample.values.count);
  }
  return by_type;
}

// Samples of a scope by type, with one link each to the flame graph that shows them.
struct ProfileTarget {
  std::string what;
  LinkQuality quality = LinkQuality::kExact;
  Parameters parameters;
};
absl::Status AddProfiles(store::Store* store, const ProfileScope& scope, const ReadLimits& limits,
                         const ProfileTarget& target, Links* links) {
  FLARE_ASSIGN(const auto by_type, CountByType(store, scope, limits));
  for (const auto& [type, count] : by_type) {
    Add({.to = "profile",
         .what = target.what,
         .quality = target.quality,
         .count = count,
         .show = {.path = "/flame", .parameters = Joined({{"type", type}}, target.parameters)}},
        links);
  }
  return absl::OkStatus();
}

absl::Status AddLogs(store::Store* store, store::LogQuery query, std::string what,
                     LinkQuality quality, const Parameters& parameters, Links* links) {
  query.limit = kItemsMax;
  FLARE_ASSIGN(const store::SelectedLogs logs, store->SelectLogs(query));
  Add({.to = "logs",
       .what = std::move(what),
       .quality = quality,
       .count = logs.log_records.size(),
       .show = {.path = "/logs", .parameters = parameters}},
      links);
  return absl::OkStatus();
}

// Signals that only a selector and a range of time connect.
absl::Status AddSpansOfTime(store::Store* store, const std::vector<store::Matcher>& matchers,
                            const store::TimeRange& range, Links* links) {
  store::SpanQuery query;
  query.matchers = matchers;
  query.range = range;
  query.limit = kItemsMax;
  FLARE_ASSIGN(const store::SelectedSpans spans, store->SelectSpans(query));
  Add({.to = "trace",
       .what = "spans that began in this time",
       .quality = LinkQuality::kInferred,
       .count = spans.spans.size(),
       .show = {.path = "/traces", .parameters = Joined(SelectorOf(matchers), RangeOf(range))}},
      links);
  return absl::OkStatus();
}

absl::Status AddMetricsOfTime(store::Store* store, const std::vector<store::Matcher>& matchers,
                              Links* links) {
  FLARE_ASSIGN(const auto series,
               store->ListMetrics({.name = {}, .matchers = matchers, .limit = kItemsMax}));
  Add({.to = "metric",
       .what = "series of metrics of the same resource",
       .quality = LinkQuality::kInferred,
       .count = series.size(),
       .show = {.path = "/metrics", .parameters = SelectorOf(matchers)}},
      links);
  return absl::OkStatus();
}

// Exemplars that name a trace, by trace; only of `trace_id` where that is set.
absl::StatusOr<std::map<std::string, uint64_t>> ExemplarTraces(store::Store* store,
                                                               const store::MetricQuery& query,
                                                               std::string_view trace_id) {
  FLARE_ASSIGN(const model::MetricBatch batch, store->SelectMetrics(query));
  std::map<std::string, uint64_t> traces;
  for (const model::Exemplar& exemplar : batch.exemplars) {
    if (!exemplar.trace_id.empty() && (trace_id.empty() || exemplar.trace_id == trace_id))
      ++traces[std::string(exemplar.trace_id)];
  }
  return traces;
}

// A span of a stored trace, and what is asked about it.
class SpanLinks {
 public:
  SpanLinks(store::Store* store, const store::SpanRef& span, const ReadLimits& limits)
      : store_(*store), span_(span), limits_(limits) {}

  absl::StatusOr<Links> Find() {
    FLARE_ASSIGN(batch_, store_.SelectTrace(span_.trace_id));
    tree_ = BuildSpanTree(batch_);
    node_ = span_.span_id.empty() ? tree_.main_root : Position();
    FLARE_RETURN_IF_ERROR(AddTrace());
    FLARE_RETURN_IF_ERROR(AddSamples());
    FLARE_RETURN_IF_ERROR(AddRecords());
    FLARE_RETURN_IF_ERROR(AddMetrics());
    if (node_ != kNoNode && !span_.span_id.empty()) {
      FLARE_RETURN_IF_ERROR(AddNormal());
      FLARE_RETURN_IF_ERROR(AddCost());
    }
    return std::move(links_);
  }

 private:
  uint32_t Position() const {
    const auto at = std::ranges::find_if(tree_.nodes, [&](const SpanNode& node) {
      return batch_.spans[node.span].span_id == span_.span_id;
    });
    return at == tree_.nodes.end() ? kNoNode : static_cast<uint32_t>(at - tree_.nodes.begin());
  }

  Parameters Ids() const {
    Parameters ids = {{"trace", base::HexEncode(span_.trace_id)}};
    if (!span_.span_id.empty())
      ids.emplace_back("span", base::HexEncode(span_.span_id));
    return ids;
  }

  store::TimeRange Window() const {
    const SpanNode& node = tree_.nodes[node_];
    return {.from = node.start, .to = std::max(node.end, node.start + 1)};
  }

  std::vector<store::Matcher> Service() const {
    const model::Slice attributes = batch_.resources[tree_.nodes[node_].resource].attributes;
    for (const model::KeyValue& node : model::In(batch_.nodes, attributes)) {
      if (!model::SameAttributeKey(node.key, "service.name"))
        continue;
      auto matcher = store::Matcher::Make("service.name", store::Matcher::Kind::kEqual,
                                          model::AttributeText(batch_, node.value));
      if (matcher.ok())
        return {*std::move(matcher)};
    }
    return {};
  }

  absl::Status AddTrace() {
    Add({.to = "trace",
         .what = "the whole trace",
         .count = batch_.spans.size(),
         .show = {.path = base::StrCat("/trace/", base::HexEncode(span_.trace_id))}},
        &links_);
    return absl::OkStatus();
  }

  absl::Status AddSamples() {
    ProfileScope exact;
    exact.spans = {span_};
    const char* const what =
        span_.span_id.empty() ? "samples that carry this trace" : "samples that carry this span";
    FLARE_RETURN_IF_ERROR(
        AddProfiles(&store_, exact, limits_, {.what = what, .parameters = Ids()}, &links_));
    if (node_ == kNoNode || span_.span_id.empty())
      return absl::OkStatus();
    ProfileScope children;
    FLARE_RETURN_IF_ERROR(LimitToSpan(&store_, span_, SpanReach::kChildren, &children));
    if (children.spans.size() > 1) {
      FLARE_RETURN_IF_ERROR(
          AddProfiles(&store_, children, limits_,
                      {.what = "samples that carry this span or one below it in its process",
                       .parameters = Joined(Ids(), {{"spanscope", "children"}})},
                      &links_));
    }
    ProfileScope thread;
    FLARE_RETURN_IF_ERROR(LimitToSpan(&store_, span_, SpanReach::kThread, &thread));
    return AddProfiles(&store_, thread, limits_,
                       {.what = "what its thread, or else its process, did meanwhile",
                        .quality = LinkQuality::kInferred,
                        .parameters = Joined(Ids(), {{"spanscope", "thread"}})},
                       &links_);
  }

  absl::Status AddRecords() {
    FLARE_RETURN_IF_ERROR(
        AddLogs(&store_, {.trace_id = span_.trace_id, .span_id = span_.span_id},
                span_.span_id.empty() ? "records of this trace" : "records of this span",
                LinkQuality::kExact, Ids(), &links_));
    if (node_ == kNoNode)
      return absl::OkStatus();
    return AddLogs(&store_, {.matchers = Service(), .range = Window()},
                   "records of the same service in this time", LinkQuality::kInferred,
                   Joined(SelectorOf(Service()), RangeOf(Window())), &links_);
  }

  absl::Status AddMetrics() {
    if (node_ == kNoNode)
      return absl::OkStatus();
    // A point tells of what happened before it.
    const store::TimeRange range = {.from = Window().from,
                                    .to = Window().to + 2 * base::kNanosPerMinute};
    FLARE_ASSIGN(const auto traces,
                 ExemplarTraces(&store_, {.name = {}, .matchers = Service(), .range = range},
                                span_.trace_id));
    Add({.to = "metric",
         .what = "exemplars that name this trace",
         .count = traces.empty() ? 0 : traces.begin()->second,
         .show = {.path = "/metrics", .parameters = SelectorOf(Service())}},
        &links_);
    return AddMetricsOfTime(&store_, Service(), &links_);
  }

  // The span against all of its name in the hour before.
  absl::Status AddNormal() {
    const std::string name(batch_.spans[tree_.nodes[node_].span].name);
    const uint64_t end = Window().from;
    const store::TimeRange before = {.from = end - std::min(end, base::kNanosPerHour), .to = end};
    ProfileScope normal;
    normal.matchers = Service();
    normal.range = before;
    const absl::Status limited = LimitToSpansNamed(&store_, name, &normal);
    if (absl::IsNotFound(limited))
      return absl::OkStatus();
    FLARE_RETURN_IF_ERROR(limited);
    FLARE_ASSIGN(const uint64_t samples, CountSamples(normal));
    Parameters parameters = Joined(
        Ids(), {{"b.spanname", name}, {"b.from", Text(before.from)}, {"b.to", Text(before.to)}});
    for (const auto& [key, value] : SelectorOf(Service()))
      parameters.emplace_back("b." + key, value);
    Add({.to = "diff",
         .what = "against spans of its name in the hour before",
         .quality = LinkQuality::kInferred,
         .count = samples,
         .show = {.path = "/diff", .parameters = std::move(parameters)}},
        &links_);
    return absl::OkStatus();
  }

  absl::StatusOr<uint64_t> CountSamples(const ProfileScope& scope) {
    FLARE_ASSIGN(const auto by_type, CountByType(&store_, scope, limits_));
    uint64_t count = 0;
    for (const auto& [type, of_type] : by_type)
      count += of_type;
    return count;
  }

  // By samples that carry the span or one below it; by its thread where there are none.
  absl::Status AddCost() {
    SpanCost cost = {.duration_nanos = tree_.nodes[node_].duration()};
    for (const SpanReach reach : {SpanReach::kChildren, SpanReach::kThread}) {
      cost.quality = reach == SpanReach::kThread ? LinkQuality::kInferred : LinkQuality::kExact;
      FLARE_ASSIGN(cost.on_cpu_nanos, NanosOf("cpu", reach));
      FLARE_ASSIGN(cost.off_cpu_nanos, NanosOf("offcpu", reach));
      if (cost.on_cpu_nanos != 0 || cost.off_cpu_nanos != 0)
        break;
    }
    links_.cost = {cost};
    return absl::OkStatus();
  }

  absl::StatusOr<int64_t> NanosOf(std::string type, SpanReach reach) {
    ProfileScope scope;
    scope.type = std::move(type);
    FLARE_RETURN_IF_ERROR(LimitToSpan(&store_, span_, reach, &scope));
    FLARE_ASSIGN(const ScopeStacks stacks, ReadStacks(&store_, scope, limits_));
    return stacks.set.unit == "nanoseconds" ? stacks.set.Total() : 0;
  }

  store::Store& store_;
  const store::SpanRef& span_;
  const ReadLimits& limits_;
  model::TraceBatch batch_;
  SpanTree tree_;
  uint32_t node_ = kNoNode;  // the span, or the root of the trace; kNoNode: not stored
  Links links_;
};

}  // namespace

absl::StatusOr<Links> LinksOfSpan(store::Store* store, const store::SpanRef& span,
                                  const ReadLimits& limits) {
  return SpanLinks(store, span, limits).Find();
}

absl::StatusOr<Links> LinksOfFunction(store::Store* store, const std::string& function,
                                      const ProfileScope& scope, const ReadLimits& limits) {
  ProfileScope meant = scope;
  if (meant.type.empty()) {
    FLARE_ASSIGN(meant.type, DefaultType(store, scope.matchers));
  }
  FLARE_ASSIGN(const auto costs, CostByTrace(store, meant, function, limits));
  Links links;
  for (const TraceCost& cost : costs) {
    if (links.links.size() == kTracesShown)
      break;
    links.links.push_back(
        {.to = "trace",
         .what = "a trace in which it was sampled",
         .count = cost.samples,
         .show = {.path = base::StrCat("/trace/", base::HexEncode(cost.trace_id))}});
  }
  const Parameters here =
      Joined(Joined(SelectorOf(meant.matchers), RangeOf(meant.range)), {{"type", meant.type}});
  links.links.push_back(
      {.to = "profile",
       .what = "who calls it, and whom it calls",
       .count = 1,
       .show = {.path = "/callers", .parameters = Joined(here, {{"fn", function}})}});
  FLARE_RETURN_IF_ERROR(AddLogs(store, {.matchers = meant.matchers, .range = meant.range},
                                "records of the same resource in this time", LinkQuality::kInferred,
                                Joined(SelectorOf(meant.matchers), RangeOf(meant.range)), &links));
  return links;
}

absl::StatusOr<Links> LinksOfTime(store::Store* store, const std::string& metric,
                                  const ProfileScope& scope, const ReadLimits& limits) {
  Links links;
  const Parameters here = Joined(SelectorOf(scope.matchers), RangeOf(scope.range));
  if (!metric.empty()) {
    FLARE_ASSIGN(
        const auto traces,
        ExemplarTraces(store, {.name = metric, .matchers = scope.matchers, .range = scope.range},
                       {}));
    for (const auto& [trace_id, count] : traces) {
      if (links.links.size() == kTracesShown)
        break;
      links.links.push_back({.to = "trace",
                             .what = "a trace that an exemplar names",
                             .count = count,
                             .show = {.path = base::StrCat("/trace/", base::HexEncode(trace_id))}});
    }
  }
  FLARE_RETURN_IF_ERROR(AddProfiles(
      store, scope, limits,
      {.what = "samples of this time", .quality = LinkQuality::kInferred, .parameters = here},
      &links));
  FLARE_RETURN_IF_ERROR(AddSpansOfTime(store, scope.matchers, scope.range, &links));
  FLARE_RETURN_IF_ERROR(AddLogs(store, {.matchers = scope.matchers, .range = scope.range},
                                "records of this time", LinkQuality::kInferred, here, &links));
  FLARE_RETURN_IF_ERROR(AddMetricsOfTime(store, scope.matchers, &links));
  return links;
}

}  // namespace flarestack::query
