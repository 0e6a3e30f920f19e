// SPDX-License-Identifier: Apache-2.0
#include "base/sync_directory.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/text.h"

namespace flarestack::base {

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
