// SPDX-License-Identifier: Apache-2.0
//
// The processors that run now, by number.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace flarestack::record::agent {

// Where the kernel's list cannot be read, all that there are: who opens something on one that does
// not run is told so.
std::vector<int> OnlineCpus();

// The numbers of a list such as "0-3,8,10-11", as /sys/devices/system/cpu/online has it. Numbers
// from 65536 on and lists that make no sense are kInvalidArgument.
absl::StatusOr<std::vector<int>> ParseCpuList(std::string_view text);

}  // namespace flarestack::record::agent
