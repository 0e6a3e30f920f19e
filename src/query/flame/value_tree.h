// SPDX-License-Identifier: Apache-2.0
//
// Stacks merged into one tree, with one or more values at each node: the source of flame graphs,
// sandwich views and comparisons.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "query/diff/tree_diff.h"
#include "query/stacks/stack_set.h"

namespace flarestack::query {

// A function as a tree shows it.
struct TreeFrame {
  enum Flag : uint32_t {
    kInlined = 1,
    kUnsymbolised = 2,  // an address instead of a name
    kFolded = 4,        // stands for omitted nodes
  };

  std::string name = {};
  std::string file = {};
  std::string module = {};
  std::string type = {};  // profile.frame.type
  int64_t line = 0;       // lowest line seen in the function; 0: unknown
  uint32_t flags = 0;
  friend bool operator==(const TreeFrame&, const TreeFrame&) = default;
};

// The same with views: a tree has all functions of its stacks, and a flame graph shows only a few.
struct TreeFrameView {
  std::string_view name = {};
  std::string_view file = {};
  std::string_view module = {};
  std::string_view type = {};
  int64_t line = 0;
  uint32_t flags = 0;

  TreeFrame Copy() const {
    return {.name = std::string(name),
            .file = std::string(file),
            .module = std::string(module),
            .type = std::string(type),
            .line = line,
            .flags = flags};
  }
};

// Views stay valid as long as the stacks and the comparison from which the tree was made.
struct ValueTree {
  struct Node {
    uint32_t frame = 0;   // in `frames`
    uint32_t parent = 0;  // always before the node itself, except for the root
  };

  std::vector<Node> nodes = {Node{}};  // nodes[0] is the root
  std::vector<TreeFrameView> frames = {TreeFrameView{}};
  std::vector<std::vector<int64_t>> self;  // by value and node
  std::vector<float> probabilities;        // by node, for a comparison; else empty
};

// Root first, like the stacks.
absl::StatusOr<ValueTree> MakeValueTree(const StackSet& set);

// The callees of a function, or its callers (then callers are below it, and the root of the stack
// last). A function that occurs in a stack more than once counts at its outermost occurrence.
enum class PivotSide { kCallees, kCallers };
absl::StatusOr<ValueTree> MakePivotTree(const StackSet& set, std::string_view function,
                                        PivotSide side);

// Bottom-up: the leaf functions of the stacks, and below each its callers, ending at the roots. The
// total of a node directly below the root is the self cost of its function.
absl::StatusOr<ValueTree> MakeInvertedTree(const StackSet& set);

// Two values per node, before and after. Locations come from the first set that has the function.
ValueTree MakeDiffTree(const TreeDiff& diff, const StackSet& before, const StackSet& after);

}  // namespace flarestack::query
