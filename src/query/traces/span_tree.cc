// SPDX-License-Identifier: Apache-2.0
#include "query/traces/span_tree.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "model/attribute_text.h"

namespace flarestack::query {
namespace {

class TreeBuilder {
 public:
  explicit TreeBuilder(const model::TraceBatch& batch) : batch_(batch) {}

  SpanTree Build() {
    SortByStart();
    FindParents();
    CollectChildren();
    for (const uint32_t span : by_start_) {
      if (parents_[span] == kNoNode)
        Walk(span);
    }
    // Spans that no root reaches are part of, or below, a cycle.
    for (const uint32_t span : by_start_) {
      if (!is_placed_[span])
        Walk(CutCircle(span));
    }
    PickMainRoot();
    return std::move(tree_);
  }

 private:
  void SortByStart() {
    resources_.resize(batch_.spans.size());
    for (uint32_t i = 0; i < batch_.resources.size(); ++i) {
      for (const model::ItemScope& scope : model::In(batch_.scopes, batch_.resources[i].scopes))
        std::fill_n(resources_.begin() + scope.items.begin, scope.items.count, i);
    }
    by_start_.resize(batch_.spans.size());
    std::iota(by_start_.begin(), by_start_.end(), 0u);
    std::ranges::stable_sort(by_start_, [&](uint32_t a, uint32_t b) {
      const model::Span& first = batch_.spans[a];
      const model::Span& second = batch_.spans[b];
      return std::tie(first.start_time_unix_nano, first.span_id) <
             std::tie(second.start_time_unix_nano, second.span_id);
    });
  }

  void FindParents() {
    absl::flat_hash_map<std::string_view, uint32_t> by_id;
    for (const uint32_t span : by_start_)
      by_id.try_emplace(batch_.spans[span].span_id, span);
    parents_.assign(batch_.spans.size(), kNoNode);
    kinds_.assign(batch_.spans.size(), SpanNode::Parent::kNone);
    for (const uint32_t span : by_start_) {
      const std::string_view id = batch_.spans[span].parent_span_id;
      if (id.empty())
        continue;
      const auto at = by_id.find(id);
      kinds_[span] = at == by_id.end() ? SpanNode::Parent::kMissing : SpanNode::Parent::kFound;
      if (at != by_id.end())
        parents_[span] = at->second;
    }
  }

  // Stores the children of each span as a run in one list, sorted by start.
  void CollectChildren() {
    child_begins_.assign(batch_.spans.size() + 1, 0);
    for (const uint32_t parent : parents_) {
      if (parent != kNoNode)
        ++child_begins_[parent + 1];
    }
    std::partial_sum(child_begins_.begin(), child_begins_.end(), child_begins_.begin());
    children_.resize(child_begins_.back());
    std::vector<uint32_t> ends(child_begins_.begin(), child_begins_.end() - 1);
    for (const uint32_t span : by_start_) {
      if (parents_[span] != kNoNode)
        children_[ends[parents_[span]]++] = span;
    }
    is_placed_.assign(batch_.spans.size(), false);
  }

  // Makes the earliest span of the cycle above `span` a root.
  uint32_t CutCircle(uint32_t span) {
    is_passed_.resize(batch_.spans.size());
    while (!is_passed_[span]) {
      is_passed_[span] = true;
      span = parents_[span];
    }
    uint32_t earliest = span;
    for (uint32_t at = parents_[span]; at != span; at = parents_[at]) {
      if (batch_.spans[at].start_time_unix_nano < batch_.spans[earliest].start_time_unix_nano)
        earliest = at;
    }
    kinds_[earliest] = SpanNode::Parent::kCut;
    return earliest;
  }

  void Walk(uint32_t root) {
    struct Step {
      uint32_t span;
      uint32_t parent;
    };
    const auto first = static_cast<uint32_t>(tree_.nodes.size());
    std::vector<Step> open = {{root, kNoNode}};
    while (!open.empty()) {
      const Step step = open.back();
      open.pop_back();
      if (is_placed_[step.span])
        continue;  // the root of a cut cycle, reached again from below
      is_placed_[step.span] = true;
      const auto node = static_cast<uint32_t>(tree_.nodes.size());
      Place(step.span, step.parent);
      for (uint32_t i = child_begins_[step.span + 1]; i > child_begins_[step.span]; --i)
        open.push_back({children_[i - 1], node});
    }
    for (auto node = static_cast<uint32_t>(tree_.nodes.size()) - 1; node > first; --node)
      tree_.nodes[tree_.nodes[node].parent].node_count += tree_.nodes[node].node_count;
  }

  void Place(uint32_t span, uint32_t parent) {
    const model::Span& from = batch_.spans[span];
    tree_.nodes.push_back({.span = span,
                           .resource = resources_[span],
                           .parent = parent,
                           .depth = parent == kNoNode ? 0 : tree_.nodes[parent].depth + 1,
                           .parent_kind = kinds_[span],
                           .start = from.start_time_unix_nano,
                           .end = std::max(from.start_time_unix_nano, from.end_time_unix_nano)});
  }

  void PickMainRoot() {
    const auto rank = [&](uint32_t node) {
      return std::pair(tree_.nodes[node].parent_kind == SpanNode::Parent::kNone,
                       tree_.nodes[node].duration());
    };
    for (uint32_t node = 0; node < tree_.nodes.size(); node += tree_.nodes[node].node_count) {
      if (tree_.main_root == kNoNode || rank(node) > rank(tree_.main_root))
        tree_.main_root = node;
    }
  }

  const model::TraceBatch& batch_;
  SpanTree tree_;
  // Indexed by span.
  std::vector<uint32_t> resources_;
  std::vector<uint32_t> parents_;
  std::vector<SpanNode::Parent> kinds_;
  std::vector<uint32_t> child_begins_;  // in children_
  std::vector<bool> is_placed_;
  std::vector<bool> is_passed_;  // on the way to a cycle; such ways never meet
  // Lists of spans.
  std::vector<uint32_t> by_start_;
  std::vector<uint32_t> children_;
};

}  // namespace

SpanTree BuildSpanTree(const model::TraceBatch& batch) { return TreeBuilder(batch).Build(); }

std::vector<uint64_t> SelfTimes(const SpanTree& tree) {
  std::vector<uint64_t> times(tree.nodes.size());
  for (uint32_t node = 0; node < tree.nodes.size(); ++node) {
    const SpanNode& at = tree.nodes[node];
    uint64_t covered_until = at.start;
    uint64_t covered = 0;
    tree.ForEachChild(node, [&](uint32_t child) {
      const uint64_t from = std::max(tree.nodes[child].start, covered_until);
      const uint64_t to = std::min(tree.nodes[child].end, at.end);
      if (from < to) {
        covered += to - from;
        covered_until = to;
      }
    });
    times[node] = at.duration() - covered;
  }
  return times;
}

std::string ServiceName(const model::SignalBatch& batch, const model::Resource& resource) {
  const model::AnyValue* name = model::FindAttribute(batch, resource.attributes, "service.name");
  return name == nullptr ? std::string() : model::AttributeText(batch, *name);
}

}  // namespace flarestack::query
