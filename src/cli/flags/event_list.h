// SPDX-License-Identifier: Apache-2.0
//
// The event list of -e: cpu, off_cpu, wall, and counted events.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "record/trace/profile_writer.h"

namespace flarestack::cli {

// Maps "offcpu" and "off-cpu" to off_cpu; returns everything else unchanged.
std::string CanonicalEvent(const std::string& event);

// Removes duplicates. kInvalidArgument names the unknown event and lists the known ones.
absl::StatusOr<record::agent::ProfileTypes> ParseEvents(const std::vector<std::string>& events);

}  // namespace flarestack::cli
