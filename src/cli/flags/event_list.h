// SPDX-License-Identifier: Apache-2.0
//
// The list behind -e: cpu, off_cpu, wall, and events that are counted.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "record/trace/profile_writer.h"

namespace flarestack::cli {

// "offcpu" and "off-cpu" are off_cpu; everything else stays as it is.
std::string CanonicalEvent(const std::string& event);

// Each event once. kInvalidArgument names what is no event, and lists those there are.
absl::StatusOr<record::agent::ProfileTypes> ParseEvents(const std::vector<std::string>& events);

}  // namespace flarestack::cli
