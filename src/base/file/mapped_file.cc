// SPDX-License-Identifier: Apache-2.0
#include "base/file/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/status.h"

namespace flarestack::base {
namespace {

absl::Status Failed(const std::string& path, const char* what) {
  const int error = errno;
  const std::string message = StrCat(path, ": ", what, ": ", std::strerror(error));
  return error == ENOENT ? absl::NotFoundError(message) : absl::FailedPreconditionError(message);
}

}  // namespace

absl::StatusOr<MappedFile> MappedFile::Open(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe could block forever.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return Failed(path, "open");
  struct stat about = {};
  MappedFile file;
  absl::Status status = absl::OkStatus();
  if (fstat(fd, &about) != 0) {
    status = Failed(path, "stat");
  } else if (!S_ISREG(about.st_mode)) {
    status = absl::FailedPreconditionError(StrCat(path, ": not a regular file"));
  } else if (about.st_size > 0) {
    const auto size_bytes = static_cast<size_t>(about.st_size);
    void* data = mmap(nullptr, size_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) {
      status = Failed(path, "mmap");
    } else {
      file.data_ = static_cast<char*>(data);
      file.size_bytes_ = size_bytes;
    }
  }
  close(fd);
  if (!status.ok())
    return status;
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

void MappedFile::DropMemory() const {
  if (data_ != nullptr)
    madvise(data_, size_bytes_, MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr)
    munmap(data_, size_bytes_);
}

}  // namespace flarestack::base
