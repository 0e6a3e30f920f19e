// SPDX-License-Identifier: Apache-2.0
//
// A file as bytes in memory, read by the kernel when they are touched. Meant for files that are
// written once and replaced by renaming: whoever cuts one short while it is mapped ends the
// process.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace flarestack::base {

class MappedFile {
 public:
  // An empty file has empty bytes. kFailedPrecondition for what is no regular file.
  static absl::StatusOr<MappedFile> Open(const std::string& path);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  // At the same place for as long as the mapping lives, also when that is moved.
  std::string_view bytes() const { return {data_, size_bytes_}; }

  // Lets the memory go that was touched; it is read again when it is touched again.
  void DropMemory() const;

 private:
  char* data_ = nullptr;
  size_t size_bytes_ = 0;
};

}  // namespace flarestack::base
