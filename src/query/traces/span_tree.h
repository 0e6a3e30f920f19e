// SPDX-License-Identifier: Apache-2.0
//
// The spans of a trace as a tree. What senders say of parents is not to be trusted: a parent may be
// missing, come twice, or be a descendant of its own child. Every span is in the tree exactly once
// all the same.
//
// Nothing here recurses, so depth costs no stack.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/trace.h"

namespace flarestack::query {

inline constexpr uint32_t kNoNode = UINT32_MAX;

struct SpanNode {
  enum class Parent : uint8_t {
    kNone,  // the span names none: a root
    kFound,
    kMissing,  // it names one that is not there: an orphan, which stands like a root
    kCut,      // it is its own ancestor: the earliest of such a circle stands like a root
  };

  uint32_t span = 0;          // in TraceBatch::spans
  uint32_t resource = 0;      // in TraceBatch::resources
  uint32_t parent = kNoNode;  // in SpanTree::nodes
  uint32_t depth = 0;
  uint32_t node_count = 1;  // of its subtree, itself included
  Parent parent_kind = Parent::kNone;
  uint64_t start = 0;
  uint64_t end = 0;  // not before the start, whatever the span says

  uint64_t duration() const { return end - start; }
};

// Parents stand before their children, siblings by their start. The first child of node i is
// i + 1 where that has i as its parent, and the next sibling of i is i + node_count.
struct SpanTree {
  std::vector<SpanNode> nodes;

  // The span that stands for the whole: of the roots, or of the orphans where there is no root, the
  // longest. kNoNode where there is no span.
  uint32_t main_root = kNoNode;

  template <typename Visit>
  void ForEachChild(uint32_t node, Visit visit) const {
    const uint32_t end = node + nodes[node].node_count;
    for (uint32_t child = node + 1; child < end; child += nodes[child].node_count)
      visit(child);
  }
};

SpanTree BuildSpanTree(const model::TraceBatch& batch);

// What each node's duration has that none of its children covers.
std::vector<uint64_t> SelfTimes(const SpanTree& tree);

// The attribute service.name of a resource as text.
std::string ServiceName(const model::SignalBatch& batch, const model::Resource& resource);

}  // namespace flarestack::query
