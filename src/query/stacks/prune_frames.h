// SPDX-License-Identifier: Apache-2.0
//
// The frames that a pprof profile itself calls uninteresting: drop_frames, less keep_frames. They
// are functions such as malloc, whose cost is meant to show at the caller.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "query/stacks/stack_set.h"

namespace flarestack::query {

// Regular expressions for whole names of functions, without their arguments.
struct UninterestingFrames {
  std::string drop;  // empty: none
  std::string keep;  // of those; empty: none
};

// As pprof does: from the root on, the first match below a frame that does not match goes, with all
// that it calls. A stack in which every frame matches stays whole. kInvalidArgument when an
// expression is bad.
absl::Status PruneFrames(const UninterestingFrames& frames, StackSet* set);

}  // namespace flarestack::query
