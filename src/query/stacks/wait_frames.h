// SPDX-License-Identifier: Apache-2.0
//
// Removes frames that every wait has and that say nothing about it: how a system call enters the
// kernel, and how the scheduler switches a thread off its CPU. Without them, wait reports show
// where a program waits, and not that all of it waits in __schedule.
#pragma once

#include <string_view>

#include "query/stacks/stack_set.h"

namespace flarestack::query {

// Whether sets of this sample type contain waits: off_cpu, in all its spellings, and wall.
bool HoldsWaits(std::string_view sample_type);

// Removes such kernel frames; their cost goes to the caller. Scheduler frames are removed only at
// the leaf. A stack without other frames keeps its outermost one. Merges rows that become equal.
void FoldWaitFrames(StackSet* set);

}  // namespace flarestack::query
