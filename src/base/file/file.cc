// SPDX-License-Identifier: Apache-2.0
#include "base/file/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <utility>

#include "absl/status/status.h"
#include "base/file/directory.h"
#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::base {
namespace {

constexpr size_t kReadBytesMin = 64 << 10;

absl::Status Failed(std::string_view verb, std::string_view path, int error) {
  return absl::ErrnoToStatus(error, StrCat("cannot ", verb, " ", path));
}

absl::StatusOr<std::string> ReadAll(int fd, std::string_view name, uint64_t bytes_max) {
  std::string bytes;
  struct stat info = {};
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
    if (static_cast<uint64_t>(info.st_size) > bytes_max) {
      return absl::ResourceExhaustedError(
          StrCat(name, " has ", info.st_size, " bytes, more than the limit of ", bytes_max));
    }
    bytes.reserve(static_cast<size_t>(info.st_size) + 1);
  }
  // The buffer grows on demand: kernel files arrive in small pieces.
  for (size_t used = 0;;) {
    if (used == bytes.size())
      bytes.resize(std::max({kReadBytesMin, bytes.capacity(), 2 * used}));
    const ssize_t got = read(fd, bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return Failed("read", name, errno);
    used += static_cast<size_t>(got);
    if (used > bytes_max) {
      return absl::ResourceExhaustedError(
          StrCat(name, " has more bytes than the limit of ", bytes_max));
    }
    if (got == 0) {
      bytes.resize(used);
      return bytes;
    }
  }
}

// Creates a new file beside `target`. open() applies the umask to the mode; reading the umask
// ourselves would mean changing it briefly for all threads. Returns -1 and sets errno on failure.
int CreateTemporary(const std::string& target, mode_t mode, std::string* path) {
  constexpr int kAttemptsMax = 100;
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::random_device random;
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    *path = StrCat(target, ".tmp-");
    for (int i = 0; i < 6; ++i)
      path->push_back(kDigits[random() % kDigits.size()]);
    const int fd = open(path->c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0 || errno != EEXIST)
      return fd;
  }
  return -1;
}

// Resolves symbolic links, so that a link is kept and its target replaced.
std::string ResolveLinks(const std::string& path) {
  struct FreeText {
    void operator()(char* text) const { std::free(text); }
  };
  const std::unique_ptr<char, FreeText> real(realpath(path.c_str(), nullptr));
  return real != nullptr ? std::string(real.get()) : path;
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, uint64_t bytes_max) {
  if (path == kStandardStream) {
    return ReadAll(STDIN_FILENO, "standard input", bytes_max);
  }
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return Failed("open", path, errno);
  struct stat info = {};
  if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
    close(fd);
    return absl::InvalidArgumentError(StrCat(path, " is a directory, not a profile"));
  }
  auto bytes = ReadAll(fd, path, bytes_max);
  close(fd);
  return bytes;
}

OutputFile::OutputFile(int fd, std::string path, std::string temporary_path)
    : fd_(fd), path_(std::move(path)), temporary_path_(std::move(temporary_path)) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      temporary_path_(std::exchange(other.temporary_path_, {})) {}

OutputFile::~OutputFile() {
  if (fd_ >= 0)
    close(fd_);
  if (!temporary_path_.empty())
    unlink(temporary_path_.c_str());
}

absl::StatusOr<OutputFile> OutputFile::Create(const std::string& path) {
  if (path == kStandardStream) {
    const int fd = dup(STDOUT_FILENO);
    if (fd < 0)
      return Failed("write to", "standard output", errno);
    return OutputFile(fd, "standard output", "");
  }
  struct stat info = {};
  const bool exists = stat(path.c_str(), &info) == 0;
  if (exists && !S_ISREG(info.st_mode)) {
    // A pipe or a device such as /dev/null must not be replaced by a file.
    const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0)
      return Failed("write", path, errno);
    return OutputFile(fd, path, "");
  }
  const std::string target = ResolveLinks(path);
  std::string temporary_path;
  const int fd = CreateTemporary(target, exists ? 0600 : 0666, &temporary_path);
  if (fd < 0)
    return Failed("write", path, errno);
  if (exists)
    fchmod(fd, info.st_mode & 0777);  // as private as the file it replaces
  return OutputFile(fd, target, std::move(temporary_path));
}

absl::Status OutputFile::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(fd_, bytes.data(), bytes.size());
    if (put < 0) {
      if (errno == EINTR)
        continue;
      return Failed("write", path_, errno);
    }
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return absl::OkStatus();
}

// Sync the data before the rename and the directory after it: once Commit() has returned, a power
// failure can leave neither an empty file nor the old one.
absl::Status OutputFile::Commit() {
  const bool is_new_file = !temporary_path_.empty();
  if (is_new_file && fsync(fd_) != 0)
    return Failed("write", path_, errno);
  if (close(std::exchange(fd_, -1)) != 0)
    return Failed("write", path_, errno);
  if (temporary_path_.empty())
    return absl::OkStatus();
  if (rename(temporary_path_.c_str(), path_.c_str()) != 0)
    return Failed("write", path_, errno);
  temporary_path_.clear();
  return SyncDirectoryOf(path_);
}

}  // namespace flarestack::base
