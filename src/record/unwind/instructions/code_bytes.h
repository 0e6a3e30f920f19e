// SPDX-License-Identifier: Apache-2.0
//
// Accesses the code of a file by address. Views are valid as long as the bytes of the file.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "elf/address_map.h"
#include "elf/elf_file.h"
#include "record/unwind/rows/row_builder.h"

namespace flarestack::record::unwind {

class CodeBytes {
 public:
  explicit CodeBytes(const elf::ElfFile& file) : map_(file), bytes_(file.bytes()) {}

  // Returns the bytes from the start of the span up to its end or that of its segment; empty if the
  // start is not in an executable segment.
  std::string_view In(const CodeSpan& span) const;

  // Returns the span starting at its first byte of code: a page may begin before the segment does.
  CodeSpan Within(CodeSpan span) const;

  // Returns the executable segments, limited to the bytes present in the file.
  std::vector<CodeSpan> Spans() const;

 private:
  elf::AddressMap map_;
  std::string_view bytes_;
};

// Like string_view::find. That function stops at each match of the first byte, which is the most
// frequent one in x86-64 code.
size_t FindCode(std::string_view code, std::string_view wanted, size_t from);

}  // namespace flarestack::record::unwind
