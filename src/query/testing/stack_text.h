// SPDX-License-Identifier: Apache-2.0
//
// Stack sets as text, for tests: one row per line, root first.
//
//   main;parse(a.cc:12 @app);read 3 {thread=main}
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "query/stacks/stack_set.h"

namespace flarestack::query::testing {

// Accepts NAME, NAME(FILE:LINE), NAME(@MODULE) and NAME(FILE:LINE @MODULE) as frames, and a frame
// type after it: NAME%cpython. NAME% is an internal frame of type native.
StackSet FromText(std::string_view text);

// One text per instance; instances are named 0, 1, ... Equal stacks are one row.
StackSet FromInstances(std::span<const std::string> texts);

// Only names, in the order of the rows.
std::string ToText(const StackSet& set);

}  // namespace flarestack::query::testing
