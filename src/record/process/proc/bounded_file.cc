// SPDX-License-Identifier: Apache-2.0
#include "record/process/proc/bounded_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/file/descriptor.h"
#include "base/status.h"

namespace flarestack::record::agent {
namespace {

constexpr size_t kFirstBytes = 4096;  // enough for most files in /proc

absl::Status Failed(const std::string& path, int error) {
  if (error == ESRCH)
    error = ENOENT;  // the process exited between open and read
  return absl::ErrnoToStatus(error, base::StrCat("cannot read ", path));
}

}  // namespace

absl::StatusOr<std::string> ReadBegin(const std::string& path, size_t bytes_max) {
  const base::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.is_open())
    return Failed(path, errno);
  std::string bytes;
  size_t filled = 0;
  while (filled < bytes_max) {
    if (filled == bytes.size())
      bytes.resize(std::min(bytes_max, std::max(kFirstBytes, 2 * bytes.size())));
    const ssize_t got = read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return Failed(path, errno);
    if (got == 0)
      break;
    filled += static_cast<size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace flarestack::record::agent
