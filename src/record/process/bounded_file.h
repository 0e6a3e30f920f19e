// SPDX-License-Identifier: Apache-2.0
//
// The begin of a file of /proc or /sys, whose size nobody knows before it is read and which its
// process may make as long as it likes.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace flarestack::record::agent {

// Up to `bytes_max` bytes; what is behind them is not read. kNotFound when the process is gone.
absl::StatusOr<std::string> ReadBegin(const std::string& path, size_t bytes_max);

}  // namespace flarestack::record::agent
