// SPDX-License-Identifier: Apache-2.0
//
// A memory-mapped file; the kernel reads pages when they are touched. Intended for files that are
// written once and replaced by renaming: truncating one while it is mapped kills the process.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace flarestack::base {

class MappedFile {
 public:
  // An empty file yields empty bytes. Returns kFailedPrecondition if it is not a regular file.
  static absl::StatusOr<MappedFile> Open(const std::string& path);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  // The address is stable for the lifetime of the mapping, even when the object is moved.
  std::string_view bytes() const { return {data_, size_bytes_}; }

  // Releases the resident pages; the kernel reads them again when they are touched.
  void DropMemory() const;

 private:
  char* data_ = nullptr;
  size_t size_bytes_ = 0;
};

}  // namespace flarestack::base
