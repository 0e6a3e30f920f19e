// SPDX-License-Identifier: Apache-2.0
//
// The parts of an ELF file needed to read DWARF: where code can be, the debug sections, and an
// image that libdw can open. libelf would decompress sections by writing into the file's bytes, and
// does not support zstd. So a file with compressed sections is rewritten in memory, with only its
// debug sections.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "elf/dwarf/line_table.h"
#include "elf/elf_file.h"

namespace flarestack::elf {

class DwarfSections {
 public:
  DwarfSections() = default;  // without a file

  // The bytes must outlive the result. Returns kNotFound if there is no .debug_info, and
  // kResourceExhausted if the decompressed sections exceed `bytes_max`.
  static absl::StatusOr<DwarfSections> Open(std::string_view file, uint64_t bytes_max);

  // A complete ELF file.
  std::string_view image() const { return owned_.empty() ? file_ : owned_; }

  LineSections lines() const;

  // Total of all debug sections, after decompression.
  uint64_t debug_bytes() const { return debug_bytes_; }

  bool IsCode(uint64_t address) const;

 private:
  struct CodeArea {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  struct Slice {
    uint64_t offset = 0;
    uint64_t size_bytes = 0;
  };

  void FindCode(const ElfFile& elf);
  absl::Status Measure(const ElfFile& elf, uint64_t bytes_max);
  absl::Status Rewrite(const ElfFile& elf, uint64_t bytes_max);
  std::string_view At(const Slice& slice) const;

  std::string_view file_;
  std::string owned_;
  uint64_t debug_bytes_ = 0;
  bool compressed_ = false;
  std::vector<CodeArea> code_;  // ascending and disjoint
  Slice debug_line_;            // in image()
  Slice debug_line_str_;
  Slice debug_str_;
};

}  // namespace flarestack::elf
