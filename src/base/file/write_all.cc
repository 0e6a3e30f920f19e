// SPDX-License-Identifier: Apache-2.0
#include "base/file/write_all.h"

#include <unistd.h>

#include <cerrno>

namespace flarestack::base {

absl::Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return absl::ErrnoToStatus(errno, "cannot write");
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return absl::OkStatus();
}

}  // namespace flarestack::base
