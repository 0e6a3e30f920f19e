// SPDX-License-Identifier: Apache-2.0
//
// Frames that every wait has and that say nothing about it: how a system call enters the kernel,
// and how the scheduler takes a thread off its processor. Reports of waits leave them out, so that
// they show where a program waits and not that all of it waits in __schedule.
#pragma once

#include <string_view>

#include "query/stacks/stack_set.h"

namespace flarestack::query {

// Whether sets of this sample type hold waits: off_cpu, in all its spellings, and wall.
bool HoldsWaits(std::string_view sample_type);

// Removes such frames of the kernel; their cost goes to the caller. The scheduler's are removed at
// the leaf alone. A stack that has no other frame keeps its outermost one. Rows that become equal
// are merged.
void FoldWaitFrames(StackSet* set);

}  // namespace flarestack::query
