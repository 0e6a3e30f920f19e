// SPDX-License-Identifier: Apache-2.0
//
// A tree cut down to what can be seen. Nothing is lost on the way: what is left out of a node is
// one node below it that says how many it stands for, so that sums stay exact, and its content can
// be asked for by the name of its parent.
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
  double share_min = 0;             // of what is shown; smaller nodes are left out
  uint32_t depth_max = UINT32_MAX;  // below the node that is shown
  std::optional<uint64_t> root;     // the node to show, by PathHash; nothing: all
  SiblingOrder order = SiblingOrder::kValue;
};

struct Flame {
  struct Node {
    uint32_t depth = 0;
    uint32_t frame = 0;
    uint32_t folded = 0;  // how many nodes it stands for, where its frame is kFolded
    friend bool operator==(const Node&, const Node&) = default;
  };

  std::string type;
  std::string unit;
  std::vector<TreeFrame> frames;
  std::vector<Node> nodes;                 // preorder; the first is what is shown
  std::vector<std::vector<int64_t>> self;  // by value and node; totals are sums of them
  std::vector<float> probabilities;        // by node, of a comparison; else empty
  std::vector<std::string> path;           // names above what is shown, root first
  friend bool operator==(const Flame&, const Flame&) = default;
};

// kNotFound where there is no node of the name asked for.
absl::StatusOr<Flame> CutFlame(ValueTree tree, const FlameOptions& options);

}  // namespace flarestack::query
