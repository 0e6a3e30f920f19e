// SPDX-License-Identifier: Apache-2.0
#include "query/span_scope.h"

#include <algorithm>
#include <array>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/status.h"
#include "model/attribute_text.h"
#include "model/trace.h"

namespace flarestack::query {
namespace {

constexpr size_t kSpansMax = 1000;

// What tells one process from another, in profiles as in traces.
constexpr std::array<std::string_view, 8> kProcessKeys = {
    "service.name", "service.namespace", "service.instance.id", "host.id",
    "host.name",    "container.id",      "k8s.pod.uid",         "process.pid"};

// A stored trace, with what is asked about it.
class Trace {
 public:
  explicit Trace(const model::TraceBatch& batch) : batch_(batch) {
    resources_.resize(batch.spans.size());
    for (uint32_t r = 0; r < batch.resources.size(); ++r) {
      for (const auto& scope : model::In(batch.scopes, batch.resources[r].scopes)) {
        for (uint32_t i = scope.items.begin; i < scope.items.end(); ++i)
          resources_[i] = r;
      }
    }
  }

  const model::Span* Find(std::string_view span_id) const {
    const auto at = std::ranges::find(batch_.spans, span_id, &model::Span::span_id);
    return at == batch_.spans.end() ? nullptr : &*at;
  }

  uint32_t ResourceOf(const model::Span& span) const {
    return resources_[static_cast<size_t>(&span - batch_.spans.data())];
  }

  // The span and all below it that are of its process, without leaving the process on the way.
  std::vector<std::string> InProcess(const model::Span& span) const {
    absl::flat_hash_map<std::string_view, std::vector<const model::Span*>> children;
    for (const model::Span& one : batch_.spans)
      children[one.parent_span_id].push_back(&one);
    std::vector<std::string> ids;
    absl::flat_hash_set<std::string_view> seen;  // parents may go round in circles
    std::vector<const model::Span*> pending = {&span};
    while (!pending.empty()) {
      const model::Span* at = pending.back();
      pending.pop_back();
      if (ResourceOf(*at) != ResourceOf(span) || !seen.insert(at->span_id).second)
        continue;
      ids.emplace_back(at->span_id);
      if (const auto below = children.find(at->span_id); below != children.end())
        pending.insert(pending.end(), below->second.begin(), below->second.end());
    }
    return ids;
  }

  std::string Attribute(model::Slice nodes, std::string_view key) const {
    for (const model::KeyValue& node : model::In(batch_.nodes, nodes)) {
      if (model::SameAttributeKey(node.key, key))
        return model::AttributeText(batch_, node.value);
    }
    return {};
  }

  const model::TraceBatch& batch() const { return batch_; }

 private:
  const model::TraceBatch& batch_;
  std::vector<uint32_t> resources_;  // by span
};

absl::Status LimitToThread(store::Store* store, const Trace& trace, const model::Span& span,
                           ProfileScope* scope) {
  const auto& resource = trace.batch().resources[trace.ResourceOf(span)];
  FLARE_ASSIGN(const std::vector<std::string> known, store->ResourceKeys());
  const auto require = [&](std::string_view key, const std::string& value) -> absl::Status {
    if (value.empty())
      return absl::OkStatus();
    FLARE_ASSIGN(store::Matcher matcher,
                 store::Matcher::Make(std::string(key), store::Matcher::Kind::kEqual, value));
    scope->matchers.push_back(std::move(matcher));
    return absl::OkStatus();
  };
  for (const std::string_view key : kProcessKeys) {
    // A key that only traces have would exclude every profile.
    const bool is_known = std::ranges::any_of(
        known, [&](const std::string& one) { return model::SameAttributeKey(one, key); });
    if (is_known)
      FLARE_RETURN_IF_ERROR(require(key, trace.Attribute(resource.attributes, key)));
  }
  FLARE_RETURN_IF_ERROR(require("thread.id", trace.Attribute(span.attributes, "thread.id")));
  scope->range = {.from = span.start_time_unix_nano,
                  .to = std::max(span.end_time_unix_nano, span.start_time_unix_nano + 1)};
  return absl::OkStatus();
}

}  // namespace

absl::Status LimitToSpan(store::Store* store, const store::SpanRef& span, SpanReach reach,
                         ProfileScope* scope) {
  if (reach == SpanReach::kSelf || span.span_id.empty()) {
    scope->spans = {span};
    return absl::OkStatus();
  }
  FLARE_ASSIGN(const model::TraceBatch batch, store->SelectTrace(span.trace_id));
  const Trace trace(batch);
  const model::Span* at = trace.Find(span.span_id);
  if (at == nullptr)
    return absl::NotFoundError("this span is not stored, so what belongs to it cannot be told");
  if (reach == SpanReach::kThread)
    return LimitToThread(store, trace, *at, scope);
  scope->spans.clear();
  for (std::string& id : trace.InProcess(*at))
    scope->spans.push_back({.trace_id = span.trace_id, .span_id = std::move(id)});
  return absl::OkStatus();
}

absl::Status LimitToSpansNamed(store::Store* store, std::string_view name, ProfileScope* scope) {
  store::SpanQuery query;
  query.matchers = scope->matchers;
  query.name = name;
  query.range = scope->range;
  query.limit = kSpansMax;
  FLARE_ASSIGN(const model::TraceBatch batch, store->SelectSpans(query));
  if (batch.spans.empty())
    return absl::NotFoundError(base::StrCat("no span \"", name, "\" is stored of this time"));
  scope->spans.clear();
  for (const model::Span& span : batch.spans)
    scope->spans.push_back(
        {.trace_id = std::string(span.trace_id), .span_id = std::string(span.span_id)});
  return absl::OkStatus();
}

}  // namespace flarestack::query
