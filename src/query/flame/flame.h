// SPDX-License-Identifier: Apache-2.0
//
// A tree reduced to the nodes that can be seen. Sums stay exact: the omitted children of a node
// become one node below it that records how many nodes it replaces. Its content can be requested by
// the path of its parent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "query/flame/value_tree.h"

namespace flarestack::query {

enum class SiblingOrder { kValue, kName };

struct FlameOptions {
  uint32_t nodes_max = 20'000;
  double share_min = 0;             // of the shown root; smaller nodes are omitted
  uint32_t depth_max = UINT32_MAX;  // below the shown root
  std::optional<uint64_t> root;     // the node to show, by PathHash; nullopt: the whole tree
  SiblingOrder order = SiblingOrder::kValue;
};

struct Flame {
  struct Node {
    uint32_t depth = 0;
    uint32_t frame = 0;
    uint32_t folded = 0;  // how many nodes it replaces, if its frame is kFolded
    friend bool operator==(const Node&, const Node&) = default;
  };

  std::string type;
  std::string unit;
  std::vector<TreeFrame> frames;
  std::vector<Node> nodes;                 // preorder; the first is the shown root
  std::vector<std::vector<int64_t>> self;  // by value and node; totals are sums of these
  std::vector<float> probabilities;        // by node, for a comparison; else empty
  std::vector<std::string> path;           // names above the shown root, outermost first
  friend bool operator==(const Flame&, const Flame&) = default;
};

// Returns kNotFound if `options.root` does not exist.
absl::StatusOr<Flame> CutFlame(ValueTree tree, const FlameOptions& options);

}  // namespace flarestack::query
