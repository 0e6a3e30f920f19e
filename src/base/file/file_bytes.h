// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a file, without a copy if possible: a large regular file is mapped, anything else is
// read. If a mapped file is truncated later, the missing part reads as zeros.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/file/bus_guard.h"
#include "base/file/mapped_file.h"

namespace flarestack::base {

class FileBytes {
 public:
  // "-" is standard input. Returns the same errors as ReadFile().
  static absl::StatusOr<FileBytes> Open(const std::string& path, uint64_t bytes_max);

  std::string_view view() const { return is_mapped_ ? mapped_.bytes() : std::string_view(read_); }
  bool is_mapped() const { return is_mapped_; }

 private:
  MappedFile mapped_;
  BusGuard guard_;  // after mapped_, so that it is destroyed first
  std::string read_;
  bool is_mapped_ = false;
};

}  // namespace flarestack::base
