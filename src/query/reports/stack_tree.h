// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/statusor.h"
#include "model/call_tree.h"
#include "query/stacks/stack_set.h"

namespace flarestack::query {

// All stacks as one tree of functions. Returns kResourceExhausted if it would have too many nodes.
absl::StatusOr<model::CallTree> StackTree(const StackSet& set);

}  // namespace flarestack::query
