// SPDX-License-Identifier: Apache-2.0
//
// Links of a span. Those of a trace are the links of its root.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "base/text/encoding.h"
#include "model/attribute_text.h"
#include "query/data/data_source.h"
#include "query/traces/link_targets.h"
#include "query/traces/links.h"
#include "query/traces/span_scope.h"
#include "query/traces/span_tree.h"

namespace flarestack::query {
namespace {

// Collects the links of a span of a stored trace.
class SpanLinks {
 public:
  SpanLinks(const DataSource& source, const store::SpanRef& span, const ReadLimits& limits)
      : source_(source), span_(span), limits_(limits) {}

  absl::StatusOr<Links> Find() {
    FLARE_ASSIGN(batch_, source_.SelectTrace({.trace_id = span_.trace_id}));
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

  LinkParameters Ids() const {
    LinkParameters ids = {{"trace", base::HexEncode(span_.trace_id)}};
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
    AddLink({.to = "trace",
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
        span_.span_id.empty() ? "samples tagged with this trace" : "samples tagged with this span";
    FLARE_RETURN_IF_ERROR(
        AddProfiles(source_, exact, limits_, {.what = what, .parameters = Ids()}, &links_));
    if (node_ == kNoNode || span_.span_id.empty())
      return absl::OkStatus();
    ProfileScope children;
    FLARE_RETURN_IF_ERROR(LimitToSpan(source_, span_, SpanReach::kChildren, &children));
    if (children.spans.size() > 1) {
      FLARE_RETURN_IF_ERROR(
          AddProfiles(source_, children, limits_,
                      {.what = "samples tagged with this span or its children in the same process",
                       .parameters = Joined(Ids(), {{"spanscope", "children"}})},
                      &links_));
    }
    ProfileScope thread;
    FLARE_RETURN_IF_ERROR(LimitToSpan(source_, span_, SpanReach::kThread, &thread));
    return AddProfiles(source_, thread, limits_,
                       {.what = "whole thread (or process) during the span",
                        .quality = LinkQuality::kInferred,
                        .parameters = Joined(Ids(), {{"spanscope", "thread"}})},
                       &links_);
  }

  absl::Status AddRecords() {
    FLARE_RETURN_IF_ERROR(
        AddLogs(source_, {.trace_id = span_.trace_id, .span_id = span_.span_id},
                span_.span_id.empty() ? "log records of this trace" : "log records of this span",
                LinkQuality::kExact, Ids(), &links_));
    if (node_ == kNoNode)
      return absl::OkStatus();
    return AddLogs(source_, {.matchers = Service(), .range = Window()},
                   "log records of the same service in this time range", LinkQuality::kInferred,
                   Joined(SelectorParameters(Service()), RangeParameters(Window())), &links_);
  }

  absl::Status AddMetrics() {
    if (node_ == kNoNode)
      return absl::OkStatus();
    // A point describes the time before it.
    const store::TimeRange range = {.from = Window().from,
                                    .to = Window().to + 2 * base::kNanosPerMinute};
    FLARE_ASSIGN(const auto traces,
                 ExemplarTraces(source_, {.name = {}, .matchers = Service(), .range = range},
                                span_.trace_id));
    AddLink({.to = "metric",
             .what = "exemplars of this trace",
             .count = traces.empty() ? 0 : traces.begin()->second,
             .show = {.path = "/metrics", .parameters = SelectorParameters(Service())}},
            &links_);
    return AddMetricsOfTime(source_, Service(), &links_);
  }

  // Links to a comparison of the span with all spans of the same name in the previous hour.
  absl::Status AddNormal() {
    const std::string name(batch_.spans[tree_.nodes[node_].span].name);
    const uint64_t end = Window().from;
    const store::TimeRange before = {.from = end - std::min(end, base::kNanosPerHour), .to = end};
    ProfileScope normal;
    normal.matchers = Service();
    normal.range = before;
    const absl::Status limited = LimitToSpansNamed(source_, name, &normal);
    if (absl::IsNotFound(limited))
      return absl::OkStatus();
    FLARE_RETURN_IF_ERROR(limited);
    FLARE_ASSIGN(const uint64_t samples, CountSamples(normal));
    LinkParameters parameters = Joined(Ids(), {{"b.spanname", name},
                                               {"b.from", std::to_string(before.from)},
                                               {"b.to", std::to_string(before.to)}});
    for (const auto& [key, value] : SelectorParameters(Service()))
      parameters.emplace_back("b." + key, value);
    AddLink({.to = "diff",
             .what = "with spans of the same name in the previous hour",
             .quality = LinkQuality::kInferred,
             .count = samples,
             .show = {.path = "/diff", .parameters = std::move(parameters)}},
            &links_);
    return absl::OkStatus();
  }

  absl::StatusOr<uint64_t> CountSamples(const ProfileScope& scope) {
    FLARE_ASSIGN(const auto by_type, CountSamplesByType(source_, scope, limits_));
    uint64_t count = 0;
    for (const auto& [type, of_type] : by_type)
      count += of_type;
    return count;
  }

  // Uses samples linked to the span or its descendants; if there are none, samples of its thread.
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
    FLARE_RETURN_IF_ERROR(LimitToSpan(source_, span_, reach, &scope));
    FLARE_ASSIGN(const ScopeStacks stacks, ReadStacks(source_, scope, limits_));
    return stacks.set.unit == "nanoseconds" ? stacks.set.Total() : 0;
  }

  const DataSource& source_;
  const store::SpanRef& span_;
  const ReadLimits& limits_;
  model::TraceBatch batch_;
  SpanTree tree_;
  uint32_t node_ = kNoNode;  // the span, or the root of the trace; kNoNode: not stored
  Links links_;
};

}  // namespace

absl::StatusOr<Links> LinksOfSpan(const DataSource& source, const store::SpanRef& span,
                                  const ReadLimits& limits) {
  return SpanLinks(source, span, limits).Find();
}

}  // namespace flarestack::query
