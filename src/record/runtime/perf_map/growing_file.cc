// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/perf_map/growing_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/status.h"

namespace flarestack::record::runtime {
namespace {

constexpr size_t kTailBytes = 64;

absl::StatusOr<std::string> ReadAt(int file, uint64_t position, size_t bytes_max) {
  std::string bytes(bytes_max, '\0');
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = pread(file, bytes.data() + filled, bytes.size() - filled,
                              static_cast<off_t>(position + filled));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return absl::ErrnoToStatus(errno, "cannot read a file of JIT-compiled code");
    if (got == 0)
      break;
    filled += static_cast<size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace

absl::StatusOr<FileChange> GrowingFile::Look(int file) {
  struct stat about = {};
  if (fstat(file, &about) != 0)
    return absl::ErrnoToStatus(errno, "cannot read a file of JIT-compiled code");
  const auto size = static_cast<uint64_t>(about.st_size);
  const bool is_same_file =
      is_known_ && about.st_dev == device_ && about.st_ino == inode_ && size >= size_;
  const bool has_same_time =
      about.st_mtim.tv_sec == changed_.tv_sec && about.st_mtim.tv_nsec == changed_.tv_nsec;
  if (is_same_file && size == size_ && has_same_time)
    return FileChange::kNone;
  // A file that was only appended to does not change without growing.
  const bool is_grown = is_same_file && size > size_ && HasSameTail(file);
  if (!is_grown) {
    position_ = 0;
    tail_.clear();
    tail_end_ = 0;
  }
  is_known_ = true;
  device_ = about.st_dev;
  inode_ = about.st_ino;
  changed_ = about.st_mtim;
  size_ = size;
  return is_grown ? FileChange::kGrown : FileChange::kReplaced;
}

bool GrowingFile::HasSameTail(int file) const {
  const auto now = ReadAt(file, tail_end_ - tail_.size(), tail_.size());
  return now.ok() && *now == tail_;
}

absl::StatusOr<std::string> GrowingFile::Read(int file, size_t bytes_max) const {
  if (is_at_end())
    return std::string();
  return ReadAt(file, position_, std::min<uint64_t>(bytes_max, size_ - position_));
}

void GrowingFile::Advance(std::string_view bytes, uint64_t count) {
  const std::string_view taken = bytes.substr(0, count);
  if (!taken.empty()) {
    tail_ = taken.substr(taken.size() - std::min(taken.size(), kTailBytes));
    tail_end_ = position_ + taken.size();
  }
  position_ += count;
}

}  // namespace flarestack::record::runtime
