// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace flarestack::base {

// Writes all bytes to a descriptor: continues after partial writes and interruptions. After an
// error the bytes may be written in part. Allocates nothing if it succeeds.
absl::Status WriteAll(int fd, std::string_view bytes);

}  // namespace flarestack::base
