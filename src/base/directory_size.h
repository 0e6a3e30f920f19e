// SPDX-License-Identifier: Apache-2.0
//
// What a directory takes on disk.
#pragma once

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"

namespace flarestack::base {

struct FileUse {
  const std::string& path;
  uint64_t bytes = 0;  // blocks that are allocated, which may be more or less than the length
};

// Visits every regular file below `directory`. Files that go away meanwhile are left out.
void VisitFiles(const std::string& directory, absl::FunctionRef<void(const FileUse&)> visit);

}  // namespace flarestack::base
