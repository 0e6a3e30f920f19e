// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a file, without a copy where that can be had: a large regular file is mapped, and
// anything else is read. When somebody cuts the file short meanwhile, the rest reads as zeros.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/bus_guard.h"
#include "base/mapped_file.h"

namespace flarestack::base {

class FileBytes {
 public:
  // "-" is standard input. The same errors as ReadFile().
  static absl::StatusOr<FileBytes> Open(const std::string& path, uint64_t bytes_max);

  std::string_view view() const { return is_mapped_ ? mapped_.bytes() : std::string_view(read_); }
  bool is_mapped() const { return is_mapped_; }

 private:
  MappedFile mapped_;
  BusGuard guard_;  // behind the mapping, so that it ends before it
  std::string read_;
  bool is_mapped_ = false;
};

}  // namespace flarestack::base
