// SPDX-License-Identifier: Apache-2.0
//
// Directories: the files below one, and names in one that survive a power failure.
#pragma once

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace flarestack::base {

struct FileUse {
  const std::string& path;
  uint64_t bytes = 0;  // allocated blocks, which may be more or less than the file length
};

// Visits every regular file below `directory`. Skips files that disappear during the visit.
void VisitFiles(const std::string& directory, absl::FunctionRef<void(const FileUse&)> visit);

// Makes the name that open or rename just gave to `path` survive a power failure. The caller must
// sync the file's bytes before it gets its name.
absl::Status SyncDirectoryOf(const std::string& path);

}  // namespace flarestack::base
