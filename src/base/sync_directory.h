// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"

namespace flarestack::base {

// Makes the name that `path` has just got, by open or rename, survive a power failure. The bytes of
// the file are the caller's to sync, before it gets its name.
absl::Status SyncDirectoryOf(const std::string& path);

}  // namespace flarestack::base
