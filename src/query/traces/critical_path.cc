// SPDX-License-Identifier: Apache-2.0
#include "query/traces/critical_path.h"

#include <algorithm>

namespace flarestack::query {
namespace {

class PathWalk {
 public:
  PathWalk(const model::TraceBatch& batch, const SpanTree& tree) : batch_(batch), tree_(tree) {}

  std::vector<PathSegment> Run() {
    if (tree_.main_root == kNoNode)
      return {};
    const SpanNode& root = tree_.nodes[tree_.main_root];
    Enter({.node = tree_.main_root, .from = root.start, .to = root.end});
    while (!open_.empty())
      Step();
    std::ranges::reverse(segments_);
    return std::move(segments_);
  }

 private:
  // A span on the path. Everything after `at` is done.
  struct Open {
    uint32_t node = 0;
    uint64_t from = 0;  // its start, clipped to its parent
    uint64_t at = 0;
    std::vector<PathSegment> children;  // clipped to it; latest end at the back
  };

  void Step() {
    Open& top = open_.back();
    while (!top.children.empty() && top.children.back().to > top.at)
      top.children.pop_back();
    if (top.children.empty()) {
      AddSegment(top.node, top.from, top.at);
      open_.pop_back();
      return;
    }
    const PathSegment child = top.children.back();
    top.children.pop_back();
    AddSegment(top.node, child.to, top.at);
    top.at = child.from;
    Enter(child);
  }

  void Enter(const PathSegment& span) {
    Open open = {.node = span.node, .from = span.from, .at = span.to, .children = {}};
    tree_.ForEachChild(span.node, [&](uint32_t child) {
      const SpanNode& node = tree_.nodes[child];
      const PathSegment moved = {.node = child,
                                 .from = std::max(node.start, span.from),
                                 .to = std::min(node.end, span.to)};
      if (moved.from < moved.to && IsWaitedFor(span.node, child))
        open.children.push_back(moved);
    });
    // Among children that end together, the one that started first explains the most.
    std::ranges::stable_sort(open.children, [](const PathSegment& a, const PathSegment& b) {
      return a.to != b.to ? a.to < b.to : a.from > b.from;
    });
    open_.push_back(std::move(open));
  }

  bool IsWaitedFor(uint32_t parent, uint32_t child) const {
    const SpanNode& above = tree_.nodes[parent];
    const SpanNode& below = tree_.nodes[child];
    if (below.end <= above.end)
      return true;
    return below.resource != above.resource &&
           batch_.spans[below.span].kind != model::SpanKind::kConsumer;
  }

  void AddSegment(uint32_t node, uint64_t from, uint64_t to) {
    if (from < to)
      segments_.push_back({.node = node, .from = from, .to = to});
  }

  const model::TraceBatch& batch_;
  const SpanTree& tree_;
  std::vector<Open> open_;
  std::vector<PathSegment> segments_;  // last one first
};

}  // namespace

std::vector<PathSegment> CriticalPath(const model::TraceBatch& batch, const SpanTree& tree) {
  return PathWalk(batch, tree).Run();
}

}  // namespace flarestack::query
