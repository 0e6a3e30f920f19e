// SPDX-License-Identifier: Apache-2.0
//
// The numbers of the CPUs that are online.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace flarestack::record::agent {

// If the kernel's list cannot be read, returns all CPUs: opening an event on an offline CPU fails
// with an error anyway.
std::vector<int> OnlineCpus();

// Parses a list such as "0-3,8,10-11", the format of /sys/devices/system/cpu/online. Returns
// kInvalidArgument for malformed lists and for numbers of 65536 or more.
absl::StatusOr<std::vector<int>> ParseCpuList(std::string_view text);

}  // namespace flarestack::record::agent
