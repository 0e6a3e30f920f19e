// SPDX-License-Identifier: Apache-2.0
//
// Reads the beginning of a file in /proc or /sys. The size of such a file is not known before it is
// read, and its process may make it arbitrarily long.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace flarestack::record::agent {

// Returns up to `bytes_max` bytes and ignores the rest. Returns kNotFound if the process is gone.
absl::StatusOr<std::string> ReadBegin(const std::string& path, size_t bytes_max);

}  // namespace flarestack::record::agent
