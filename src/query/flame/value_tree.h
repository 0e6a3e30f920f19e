// SPDX-License-Identifier: Apache-2.0
//
// Stacks merged into one tree, with one value or several at each node: what flame graphs,
// sandwiches and comparisons are drawn from.
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
    kFolded = 4,        // stands for nodes that are left out
  };

  std::string name = {};
  std::string file = {};
  std::string module = {};
  std::string type = {};  // profile.frame.type
  int64_t line = 0;       // the first one seen of the function; 0: unknown
  uint32_t flags = 0;
  friend bool operator==(const TreeFrame&, const TreeFrame&) = default;
};

// The same by views: a tree has all functions of its stacks, and a flame graph shows a few of them.
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

// Views stay valid as long as the stacks, and the comparison, that the tree was made of.
struct ValueTree {
  struct Node {
    uint32_t frame = 0;   // in `frames`
    uint32_t parent = 0;  // always smaller than the node's own position, but for the root
  };

  std::vector<Node> nodes = {Node{}};  // nodes[0] is the root
  std::vector<TreeFrameView> frames = {TreeFrameView{}};
  std::vector<std::vector<int64_t>> self;  // by value and node
  std::vector<float> probabilities;        // by node, of a comparison; else empty
};

// Root first, as the stacks are.
absl::StatusOr<ValueTree> MakeValueTree(const StackSet& set);

// What a function calls, or who calls it (then callers stand below it, its root last). A function
// that stands in a stack more than once counts where it is outermost.
enum class PivotSide { kCallees, kCallers };
absl::StatusOr<ValueTree> MakePivotTree(const StackSet& set, std::string_view function,
                                        PivotSide side);

// Bottom-up: the functions at the ends of the stacks, and below each its callers, the roots of the
// stacks last. The total of a node below the root is the self cost of its function.
absl::StatusOr<ValueTree> MakeInvertedTree(const StackSet& set);

// Two values a node, before and after. Places are those of the first set that knows the function.
ValueTree MakeDiffTree(const TreeDiff& diff, const StackSet& before, const StackSet& after);

}  // namespace flarestack::query
