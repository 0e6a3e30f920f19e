// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/status.h"
#include "query/stacks/filter.h"

namespace flarestack::query {

// Applies one step of the filter pipeline.
absl::Status ApplyStep(const FilterStep& step, StackSet* set);

// Removes the internal frames of each stack, or all except the leaf if it has no others.
void HideInternalFrames(StackSet* set);

}  // namespace flarestack::query
