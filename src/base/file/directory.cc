// SPDX-License-Identifier: Apache-2.0
#include "base/file/directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/text/text.h"

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

absl::Status SyncDirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // A directory that is writable but not readable cannot be synced.
  if (fd < 0)
    return errno == EACCES ? absl::OkStatus()
                           : absl::ErrnoToStatus(errno, StrCat("cannot open ", directory));
  const int error = fsync(fd) == 0 ? 0 : errno;
  close(fd);
  // Some file systems do not support syncing a directory, and return EINVAL.
  return error == 0 || error == EINVAL
             ? absl::OkStatus()
             : absl::ErrnoToStatus(error, StrCat("cannot sync ", directory));
}

}  // namespace flarestack::base
