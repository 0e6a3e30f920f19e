// SPDX-License-Identifier: Apache-2.0
#include "query/traces/span_scope.h"

#include <algorithm>
#include <array>

#include "base/status.h"
#include "model/attribute_text.h"
#include "model/trace.h"
#include "query/data/data_source.h"
#include "query/traces/span_tree.h"

namespace flarestack::query {
namespace {

constexpr size_t kSpansMax = 1000;

// Attributes that identify a process, in profiles as well as in traces.
constexpr std::array<std::string_view, 8> kProcessKeys = {
    "service.name", "service.namespace", "service.instance.id", "host.id",
    "host.name",    "container.id",      "k8s.pod.uid",         "process.pid"};

// The position of a span in a tree; kNoNode if it is missing.
uint32_t Find(const model::TraceBatch& batch, const SpanTree& tree, std::string_view span_id) {
  const auto at = std::ranges::find_if(
      tree.nodes, [&](const SpanNode& node) { return batch.spans[node.span].span_id == span_id; });
  return at == tree.nodes.end() ? kNoNode : static_cast<uint32_t>(at - tree.nodes.begin());
}

std::string AttributeOf(const model::TraceBatch& batch, model::Slice nodes, std::string_view key) {
  for (const model::KeyValue& node : model::In(batch.nodes, nodes)) {
    if (model::SameAttributeKey(node.key, key))
      return model::AttributeText(batch, node.value);
  }
  return {};
}

// The span and those descendants that can be reached without leaving its process.
std::vector<store::SpanRef> InProcess(const model::TraceBatch& batch, const SpanTree& tree,
                                      uint32_t root) {
  std::vector<store::SpanRef> spans;
  const uint32_t end = root + tree.nodes[root].node_count;
  for (uint32_t i = root; i < end;) {
    const SpanNode& node = tree.nodes[i];
    if (node.resource != tree.nodes[root].resource) {
      i += node.node_count;
      continue;
    }
    const model::Span& span = batch.spans[node.span];
    spans.push_back({.trace_id = std::string(span.trace_id), .span_id = std::string(span.span_id)});
    ++i;
  }
  return spans;
}

absl::Status LimitToThread(const DataSource& source, const model::TraceBatch& batch,
                           const SpanNode& node, ProfileScope* scope) {
  const model::Span& span = batch.spans[node.span];
  const model::Slice of_resource = batch.resources[node.resource].attributes;
  FLARE_ASSIGN(const std::vector<std::string> known, source.ResourceKeys());
  const auto require = [&](std::string_view key, const std::string& value) -> absl::Status {
    if (value.empty())
      return absl::OkStatus();
    FLARE_ASSIGN(store::Matcher matcher,
                 store::Matcher::Make(std::string(key), store::Matcher::Kind::kEqual, value));
    scope->matchers.push_back(std::move(matcher));
    return absl::OkStatus();
  };
  for (const std::string_view key : kProcessKeys) {
    // A key that only traces have would exclude all profiles.
    const bool is_known = std::ranges::any_of(
        known, [&](const std::string& one) { return model::SameAttributeKey(one, key); });
    if (is_known)
      FLARE_RETURN_IF_ERROR(require(key, AttributeOf(batch, of_resource, key)));
  }
  FLARE_RETURN_IF_ERROR(require("thread.id", AttributeOf(batch, span.attributes, "thread.id")));
  scope->range = {.from = node.start, .to = std::max(node.end, node.start + 1)};
  return absl::OkStatus();
}

}  // namespace

absl::Status LimitToSpan(const DataSource& source, const store::SpanRef& span, SpanReach reach,
                         ProfileScope* scope) {
  if (reach == SpanReach::kSelf || span.span_id.empty()) {
    scope->spans = {span};
    return absl::OkStatus();
  }
  FLARE_ASSIGN(const model::TraceBatch batch, source.SelectTrace({.trace_id = span.trace_id}));
  const SpanTree tree = BuildSpanTree(batch);
  const uint32_t at = Find(batch, tree, span.span_id);
  if (at == kNoNode)
    return absl::NotFoundError("this span is not stored, so its samples cannot be selected");
  if (reach == SpanReach::kThread)
    return LimitToThread(source, batch, tree.nodes[at], scope);
  scope->spans = InProcess(batch, tree, at);
  return absl::OkStatus();
}

absl::Status LimitToSpansNamed(const DataSource& source, std::string_view name,
                               ProfileScope* scope) {
  store::SpanQuery query;
  query.matchers = scope->matchers;
  query.name = name;
  query.range = scope->range;
  query.limit = kSpansMax;
  query.order = store::TimeOrder::kNewestFirst;
  FLARE_ASSIGN(const store::SelectedSpans batch, source.SelectSpans(query));
  if (batch.spans.empty())
    return absl::NotFoundError(base::StrCat("no span \"", name, "\" is stored in this time range"));
  scope->spans.clear();
  for (const model::Span& span : batch.spans)
    scope->spans.push_back(
        {.trace_id = std::string(span.trace_id), .span_id = std::string(span.span_id)});
  return absl::OkStatus();
}

}  // namespace flarestack::query
