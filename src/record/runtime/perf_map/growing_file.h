// SPDX-License-Identifier: Apache-2.0
//
// Follows a file that a process appends to: reads what is new, and notices when the file was
// replaced or rewritten.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace flarestack::record::runtime {

enum class FileChange { kNone, kGrown, kReplaced };

class GrowingFile {
 public:
  // Compares the file with what was read before. After kReplaced, reading starts at its begin.
  absl::StatusOr<FileChange> Look(int file);

  // Returns up to `bytes_max` bytes at the current position, without advancing it.
  absl::StatusOr<std::string> Read(int file, size_t bytes_max) const;

  // Advances by `count` bytes, of which `bytes` are the first. `count` may be larger.
  void Advance(std::string_view bytes, uint64_t count);

  uint64_t position() const { return position_; }
  bool is_at_end() const { return position_ >= size_; }  // as of the last Look

 private:
  bool HasSameTail(int file) const;

  bool is_known_ = false;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  timespec changed_ = {};
  uint64_t size_ = 0;
  uint64_t position_ = 0;
  // The last bytes that were read and where they end. If they differ, the file was rewritten.
  std::string tail_;
  uint64_t tail_end_ = 0;
};

}  // namespace flarestack::record::runtime
