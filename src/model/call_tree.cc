// SPDX-License-Identifier: Apache-2.0
#include "model/call_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/saturating.h"
#include "base/text/text.h"

namespace flarestack::model {
namespace {

// The rank of each frame when sorted by name, so that sorting children only compares two numbers.
std::vector<uint32_t> RankFrames(const std::vector<CallFrame>& frames) {
  std::vector<uint32_t> order(frames.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) { return frames[a] < frames[b]; });
  std::vector<uint32_t> ranks(frames.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    ranks[order[i]] = i;
  }
  return ranks;
}

}  // namespace

CallTreeBuilder::CallTreeBuilder(uint32_t nodes_max) : nodes_max_(nodes_max) {
  frames_.emplace_back();
  nodes_.emplace_back();
}

CallFrameId CallTreeBuilder::Frame(CallFrame frame) {
  const auto [it, added] =
      frame_ids_.try_emplace(std::move(frame), CallFrameId{static_cast<uint32_t>(frames_.size())});
  if (added) {
    frames_.push_back(it->first);
  }
  return it->second;
}

absl::Status CallTreeBuilder::Add(std::span<const CallFrameId> root_first, int64_t weight) {
  uint32_t node = 0;
  for (const CallFrameId frame : root_first) {
    const auto next = static_cast<uint32_t>(nodes_.size());
    const auto [it, added] = children_.try_emplace({node, frame.value}, next);
    if (added) {
      if (next >= nodes_max_) {
        return absl::ResourceExhaustedError(
            base::StrCat("the call tree has more than ", nodes_max_, " nodes"));
      }
      nodes_.push_back({.frame = frame, .parent = node});
    }
    node = it->second;
  }
  nodes_[node].self = base::SaturatingAdd(nodes_[node].self, weight);
  return absl::OkStatus();
}

CallTree CallTreeBuilder::Finish() && {
  const auto count = static_cast<uint32_t>(nodes_.size());
  // Children come after their parents, so a backward walk completes each total before adding it to
  // the parent.
  for (uint32_t i = count; i-- > 0;) {
    nodes_[i].total = base::SaturatingAdd(nodes_[i].total, nodes_[i].self);
    if (i > 0) {
      Staged& parent = nodes_[nodes_[i].parent];
      parent.total = base::SaturatingAdd(parent.total, nodes_[i].total);
    }
  }

  // Grouped by parent, sorted by name within a group.
  const std::vector<uint32_t> ranks = RankFrames(frames_);
  std::vector<uint32_t> grouped(count - 1);
  std::iota(grouped.begin(), grouped.end(), 1);
  std::ranges::sort(grouped, [&](uint32_t a, uint32_t b) {
    return std::pair(nodes_[a].parent, ranks[nodes_[a].frame.value]) <
           std::pair(nodes_[b].parent, ranks[nodes_[b].frame.value]);
  });
  std::vector<Slice> groups(count);  // the children of each node, as a slice of `grouped`
  for (uint32_t i = 0; i < grouped.size(); ++i) {
    Slice& group = groups[nodes_[grouped[i]].parent];
    if (group.empty()) {
      group.begin = i;
    }
    ++group.count;
  }

  CallTree tree;
  tree.nodes.reserve(count);
  std::vector<uint32_t> staged_of = {0};  // by position in tree.nodes
  staged_of.reserve(count);
  tree.nodes.emplace_back();
  tree.nodes[0].self = nodes_[0].self;
  tree.nodes[0].total = nodes_[0].total;
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const Slice group = groups[staged_of[i]];
    tree.nodes[i].children = {.begin = static_cast<uint32_t>(tree.nodes.size()),
                              .count = group.count};
    for (const uint32_t child : In(grouped, group)) {
      staged_of.push_back(child);
      tree.nodes.push_back({.frame = nodes_[child].frame,
                            .parent = {i},
                            .children = {},
                            .depth = tree.nodes[i].depth + 1,
                            .self = nodes_[child].self,
                            .total = nodes_[child].total});
    }
  }
  tree.depth_max = tree.nodes.back().depth;
  tree.frames = std::move(frames_);
  return tree;
}

}  // namespace flarestack::model
