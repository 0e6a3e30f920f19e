// SPDX-License-Identifier: Apache-2.0
//
// Removes the frames that a pprof profile itself marks as uninteresting: drop_frames minus
// keep_frames. They are functions such as malloc, whose cost should show at the caller.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "query/stacks/stack_set.h"

namespace flarestack::query {

// Regular expressions for whole function names, without arguments.
struct UninterestingFrames {
  std::string drop;  // empty: none
  std::string keep;  // exceptions; empty: none
};

// As in pprof: from the root, removes the first match below a frame that does not match, and
// everything it calls. A stack in which every frame matches stays whole. Returns kInvalidArgument
// if an expression is invalid.
absl::Status PruneFrames(const UninterestingFrames& frames, StackSet* set);

}  // namespace flarestack::query
