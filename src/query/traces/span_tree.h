// SPDX-License-Identifier: Apache-2.0
//
// The spans of a trace as a tree. The parents that senders report cannot be trusted: a parent may
// be missing, occur twice, or be a descendant of its child. Even so, every span is in the tree
// exactly once.
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
    kNone,  // the span has no parent id: a root
    kFound,
    kMissing,  // the parent is not stored: an orphan, treated like a root
    kCut,      // the span is its own ancestor: the earliest of such a cycle is treated like a root
  };

  uint32_t span = 0;          // in TraceBatch::spans
  uint32_t resource = 0;      // in TraceBatch::resources
  uint32_t parent = kNoNode;  // in SpanTree::nodes
  uint32_t depth = 0;
  uint32_t node_count = 1;  // of its subtree, including itself
  Parent parent_kind = Parent::kNone;
  uint64_t start = 0;
  uint64_t end = 0;  // never before the start, even if the span says so

  uint64_t duration() const { return end - start; }
};

// Parents come before their children, siblings in the order of their start. The first child of node
// i is i + 1 if that has i as its parent, and the next sibling of i is i + node_count.
struct SpanTree {
  std::vector<SpanNode> nodes;

  // The span that represents the whole trace: the longest of the roots, or of the orphans if there
  // is no root. kNoNode if there are no spans.
  uint32_t main_root = kNoNode;

  template <typename Visit>
  void ForEachChild(uint32_t node, Visit visit) const {
    const uint32_t end = node + nodes[node].node_count;
    for (uint32_t child = node + 1; child < end; child += nodes[child].node_count)
      visit(child);
  }
};

SpanTree BuildSpanTree(const model::TraceBatch& batch);

// The part of each node's duration that no child covers.
std::vector<uint64_t> SelfTimes(const SpanTree& tree);

// The attribute service.name of a resource as text.
std::string ServiceName(const model::SignalBatch& batch, const model::Resource& resource);

}  // namespace flarestack::query
