// SPDX-License-Identifier: Apache-2.0
//
// Sample types whose values are a state at one moment, such as memory in use: each profile is a
// snapshot. Values of several snapshots are averaged over time and added over instances; the sum
// over time means nothing. All other types count what happened, and are summed.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace flarestack::model {

// By name, in any spelling of letters, '-' and '_'.
bool IsGaugeType(std::string_view sample_type);

// Adds names to the table of this process. Call it once, before other threads start.
void AddGaugeTypes(std::span<const std::string> sample_types);

}  // namespace flarestack::model
