// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/database/room_to_open.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/status.h"

namespace flarestack::store::rocks {
namespace {

// For a new log and manifest, if the old log is short.
constexpr uint64_t kBytesMin = 1 << 20;

// The tables flushed from a log are about as large as the log if its content does not compress at
// all.
uint64_t LogBytes(const std::string& directory) {
  uint64_t bytes = 0;
  std::error_code error;
  std::filesystem::directory_iterator at(directory, error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    std::error_code gone;  // a file may have been deleted meanwhile
    const uint64_t size = at->path().extension() == ".log" ? at->file_size(gone) : 0;
    bytes += gone ? 0 : size;
  }
  return bytes;
}

absl::Status Failure(int error) {
  const std::string text = base::StrCat("the store cannot be reopened yet: ", std::strerror(error));
  return error == ENOSPC || error == EDQUOT ? absl::ResourceExhaustedError(text)
                                            : absl::UnavailableError(text);
}

absl::Status Fill(int file, uint64_t bytes) {
  if (const int error = posix_fallocate(file, 0, static_cast<off_t>(bytes)); error != 0)
    return Failure(error);
  const char some[4096] = {};
  if (pwrite(file, some, sizeof(some), 0) != static_cast<ssize_t>(sizeof(some)))
    return Failure(errno);
  return fsync(file) == 0 ? absl::OkStatus() : Failure(errno);
}

}  // namespace

absl::Status CheckRoomToOpen(const std::string& directory) {
  std::string name = base::StrCat(directory, "/room_XXXXXX");
  const int file = mkostemp(name.data(), O_CLOEXEC);
  if (file < 0)
    return Failure(errno);
  unlink(name.c_str());
  absl::Status status = Fill(file, std::max(LogBytes(directory), kBytesMin));
  close(file);
  return status;
}

}  // namespace flarestack::store::rocks
