// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/temporary_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <filesystem>

#include "base/status.h"

namespace flarestack::cli {

absl::StatusOr<TemporaryFolder> TemporaryFolder::Make(std::string_view name) {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error)
    return absl::NotFoundError(base::StrCat("no directory for temporary files: ", error.message()));
  std::string path = parent / base::StrCat(name, "-XXXXXX");
  if (mkdtemp(path.data()) == nullptr)
    return absl::ErrnoToStatus(errno, base::StrCat("cannot create ", path));
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // files that cannot be removed stay, which is acceptable
  if (!path_.empty())
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace flarestack::cli
