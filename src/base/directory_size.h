// SPDX-License-Identifier: Apache-2.0
//
// Disk usage of a directory.
#pragma once

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"

namespace flarestack::base {

struct FileUse {
  const std::string& path;
  uint64_t bytes = 0;  // allocated blocks, which may be more or less than the file length
};

// Visits every regular file below `directory`. Skips files that disappear meanwhile.
void VisitFiles(const std::string& directory, absl::FunctionRef<void(const FileUse&)> visit);

}  // namespace flarestack::base
