// SPDX-License-Identifier: Apache-2.0
//
// Merges many stacks into one tree, as a flame graph shows them: stacks share the nodes of their
// common callers.
//
//   CallTreeBuilder builder;
//   const CallFrameId main = builder.Frame({.name = "main"});
//   FLARE_RETURN_IF_ERROR(builder.Add({{main, work}}, 12));   // root first
//   const CallTree tree = std::move(builder).Finish();
//
// Flat and never recursive: a stack of a hundred thousand frames becomes a hundred thousand nodes,
// not a hundred thousand nested C++ calls.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "model/index.h"

namespace flarestack::model {

using CallFrameId = Index<struct CallFrameTag>;
using CallNodeIndex = Index<struct CallNodeTag>;

// The identity of a box in the graph. Frames with the same name in two modules are two functions.
struct CallFrame {
  std::string name = {};
  std::string module = {};  // last path element of the mapped file; may be empty
  std::string type = {};    // profile.frame.type; may be empty
  friend bool operator==(const CallFrame&, const CallFrame&) = default;
  friend bool operator<(const CallFrame& a, const CallFrame& b) {
    return std::tie(a.name, a.module, a.type) < std::tie(b.name, b.module, b.type);
  }

  template <typename H>
  friend H AbslHashValue(H h, const CallFrame& frame) {
    return H::combine(std::move(h), frame.name, frame.module, frame.type);
  }
};

struct CallTree {
  struct Node {
    CallFrameId frame;
    CallNodeIndex parent;  // the root is its own parent
    Slice children;        // in `nodes`; ordered by name, then module, then type
    uint32_t depth = 0;    // 0 is the root
    int64_t self = 0;      // weight of the stacks that end here
    int64_t total = 0;     // self plus all descendants; both saturate
  };

  std::vector<Node> nodes;  // breadth first; nodes[0] is the root, which represents all stacks
  std::vector<CallFrame> frames;  // frames[0] belongs to the root and has no name
  uint32_t depth_max = 0;

  const Node& root() const { return nodes[0]; }
  const CallFrame& FrameOf(const Node& node) const { return frames[node.frame.value]; }
};

class CallTreeBuilder {
 public:
  static constexpr uint32_t kNodesMax = 1U << 24;  // about 1 GiB of tree

  explicit CallTreeBuilder(uint32_t nodes_max = kNodesMax);

  // Equal frames get the same id.
  CallFrameId Frame(CallFrame frame);

  // Returns kResourceExhausted once the tree would exceed nodes_max nodes; the tree is then
  // unusable.
  absl::Status Add(std::span<const CallFrameId> root_first, int64_t weight);

  CallTree Finish() &&;

 private:
  struct Staged {
    CallFrameId frame;
    uint32_t parent = 0;  // always smaller than the node's own position
    int64_t self = 0;
    int64_t total = 0;
  };

  uint32_t nodes_max_;
  std::vector<CallFrame> frames_;
  std::vector<Staged> nodes_;
  absl::flat_hash_map<CallFrame, CallFrameId> frame_ids_;
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint32_t> children_;  // by parent and frame
};

}  // namespace flarestack::model
