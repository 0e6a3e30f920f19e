// SPDX-License-Identifier: Apache-2.0
//
// The parts of an ELF file that identify it: headers, notes, and the links to its debug files. They
// are read, not mapped, so that a file truncated meanwhile (by a compiler rewriting it) yields
// zeros instead of a crash, and so that little of a large file is read.
//
//   FLARE_ASSIGN(const ElfOutline outline, ElfOutline::Read(path));
//   const std::string id = GnuBuildId(outline.file());
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "elf/elf_file.h"

namespace flarestack::elf {

class ElfOutline {
 public:
  // Returns kNotFound and kPermissionDenied as reported by the kernel, and kInvalidArgument if it
  // is not a regular file or not an ELF file.
  static absl::StatusOr<ElfOutline> Read(const std::string& path);

  ElfOutline(ElfOutline&& other) noexcept;
  ElfOutline& operator=(ElfOutline&&) = delete;
  ~ElfOutline();

  // Has all segments and sections, but only notes and links have contents; the rest is zeros. Valid
  // as long as the outline.
  const ElfFile& file() const { return file_; }
  const std::string& htl_hash() const { return htl_hash_; }
  uint64_t size_bytes() const { return size_bytes_; }

  // True if it has no code, because the code is in the file it was split from.
  bool is_debug_file() const;

 private:
  class Image;

  ElfOutline(ElfFile file, char* data, size_t size_bytes, std::string htl_hash);

  ElfFile file_;
  char* data_ = nullptr;  // as large as the file; only the parts read use memory
  size_t size_bytes_ = 0;
  std::string htl_hash_;
};

}  // namespace flarestack::elf
