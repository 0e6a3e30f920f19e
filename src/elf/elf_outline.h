// SPDX-License-Identifier: Apache-2.0
//
// The parts of an ELF file that name it: headers, notes, and the links to its debug files. They are
// read and not mapped, so that a file that is cut short meanwhile (a compiler writes it anew) is no
// crash but zeros; and little of a large file is read.
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
  // kNotFound and kPermissionDenied as the kernel says, kInvalidArgument for what is no regular
  // file or no ELF file.
  static absl::StatusOr<ElfOutline> Read(const std::string& path);

  ElfOutline(ElfOutline&& other) noexcept;
  ElfOutline& operator=(ElfOutline&&) = delete;
  ~ElfOutline();

  // Segments and sections are all there, but only notes and links have contents; elsewhere are
  // zeros. Lives as long as the outline.
  const ElfFile& file() const { return file_; }
  const std::string& htl_hash() const { return htl_hash_; }
  uint64_t size_bytes() const { return size_bytes_; }

  // Whether it has no code of its own, because that is in the file it was taken from.
  bool is_debug_file() const;

 private:
  class Image;

  ElfOutline(ElfFile file, char* data, size_t size_bytes, std::string htl_hash);

  ElfFile file_;
  char* data_ = nullptr;  // as large as the file; memory of what was read alone
  size_t size_bytes_ = 0;
  std::string htl_hash_;
};

}  // namespace flarestack::elf
