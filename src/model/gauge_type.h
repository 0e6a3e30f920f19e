// SPDX-License-Identifier: Apache-2.0
//
// Sample types whose values are a state at one moment, such as memory in use: each profile is a
// snapshot. Values of several snapshots are averaged over time and added over instances; a sum over
// time is meaningless. All other types count events and are summed.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace flarestack::model {

// By name; ignores case and treats '-' and '_' as equal.
bool IsGaugeType(std::string_view sample_type);

// Adds names to the process-wide table. Call it once, before other threads start.
void AddGaugeTypes(std::span<const std::string> sample_types);

}  // namespace flarestack::model
