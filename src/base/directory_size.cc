// SPDX-License-Identifier: Apache-2.0
#include "base/directory_size.h"

#include <sys/stat.h>

#include <filesystem>

namespace flarestack::base {
namespace {

constexpr uint64_t kBlockBytes = 512;  // unit of st_blocks on every file system

}  // namespace

void VisitFiles(const std::string& directory, absl::FunctionRef<void(const FileUse&)> visit) {
  std::error_code error;
  std::filesystem::directory_iterator at(directory, error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    const std::string path = at->path().string();
    struct stat status = {};
    if (lstat(path.c_str(), &status) != 0)
      continue;
    if (S_ISDIR(status.st_mode))
      VisitFiles(path, visit);
    else if (S_ISREG(status.st_mode))
      visit({.path = path, .bytes = static_cast<uint64_t>(status.st_blocks) * kBlockBytes});
  }
}

}  // namespace flarestack::base
