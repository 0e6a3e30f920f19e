// SPDX-License-Identifier: Apache-2.0
//
// Two call trees merged: each call path once, with its cost on both sides. A path that one side
// lacks costs 0 there, so removed paths stay visible.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "query/stacks/stack_set.h"

namespace flarestack::query {

struct UnionTree {
  struct Node {
    uint32_t function = 0;     // in `functions`
    uint32_t parent = 0;       // always before the node itself, except for the root
    int64_t self[2] = {0, 0};  // before, after
    int64_t total[2] = {0, 0};
  };

  std::vector<Node> nodes;             // nodes[0] is the root
  std::vector<std::string> functions;  // functions[0] is the root, without a name
  std::vector<uint32_t> row_nodes[2];  // the node where each row of the two sets ends
};

// Returns kResourceExhausted if it would have more than nodes_max nodes.
absl::StatusOr<UnionTree> MakeUnionTree(const StackSet& before, const StackSet& after,
                                        uint32_t nodes_max = 1U << 24);

}  // namespace flarestack::query
