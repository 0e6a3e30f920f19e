// SPDX-License-Identifier: Apache-2.0
#include "record/process/proc/process_root.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/status.h"

namespace flarestack::record::agent {
namespace {

// glibc has no wrapper. The kernel answers EAGAIN if something was renamed while it resolved "..".
int OpenAt2(int folder, const char* path, const open_how& how) {
  constexpr int kTriesMax = 4;
  long file = -1;
  for (int i = 0; i < kTriesMax && file < 0; ++i) {
    file = syscall(SYS_openat2, folder, path, &how, sizeof(how));
    if (file < 0 && errno != EAGAIN && errno != EINTR)
      break;
  }
  return static_cast<int>(file);
}

}  // namespace

absl::StatusOr<base::Descriptor> OpenInRoot(pid_t pid, std::string_view path, LastLink last) {
  const std::string root_path = base::StrCat("/proc/", pid, "/root");
  const std::string full_path = base::StrCat(root_path, path);
  const base::Descriptor root(open(root_path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.is_open())
    return absl::ErrnoToStatus(errno, base::StrCat("cannot open ", full_path));
  open_how how = {};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  if (last == LastLink::kReject)
    how.flags |= O_NOFOLLOW;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  base::Descriptor file(OpenAt2(root.get(), std::string(path).c_str(), how));
  struct stat about = {};
  if (!file.is_open() || fstat(file.get(), &about) != 0)
    return absl::ErrnoToStatus(errno, base::StrCat("cannot open ", full_path));
  if (!S_ISREG(about.st_mode))
    return absl::InvalidArgumentError(base::StrCat(full_path, " is not a regular file"));
  return file;
}

absl::StatusOr<std::string> ReadInRoot(pid_t pid, std::string_view path, size_t bytes_max) {
  FLARE_ASSIGN(const base::Descriptor file, OpenInRoot(pid, path, LastLink::kFollow));
  struct stat about = {};
  if (fstat(file.get(), &about) != 0)
    return absl::ErrnoToStatus(errno, base::StrCat("cannot read ", path));
  std::string bytes(std::min(bytes_max, static_cast<size_t>(about.st_size)) + 1, '\0');
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return absl::ErrnoToStatus(errno, base::StrCat("cannot read ", path));
    if (got == 0)
      break;
    filled += static_cast<size_t>(got);
  }
  if (filled > bytes_max)
    return absl::ResourceExhaustedError(base::StrCat(path, " has more than ", bytes_max, " bytes"));
  bytes.resize(filled);
  return bytes;
}

}  // namespace flarestack::record::agent
