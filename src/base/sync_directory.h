// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"

namespace flarestack::base {

// Makes the name that open or rename just gave to `path` survive a power failure. The caller must
// sync the file's bytes before it gets its name.
absl::Status SyncDirectoryOf(const std::string& path);

}  // namespace flarestack::base
