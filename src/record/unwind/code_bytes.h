// SPDX-License-Identifier: Apache-2.0
//
// The code of a file by its addresses. Views live as long as the bytes of the file.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "elf/address_map.h"
#include "elf/elf_file.h"
#include "record/unwind/row_builder.h"

namespace flarestack::record::unwind {

class CodeBytes {
 public:
  explicit CodeBytes(const elf::ElfFile& file) : map_(file), bytes_(file.bytes()) {}

  // From the beginning of the span up to its end or that of its segment; empty when no executable
  // segment has the beginning.
  std::string_view In(const CodeSpan& span) const;

  // The span from its first byte of code on: a page may begin before the segment does.
  CodeSpan Within(CodeSpan span) const;

  // The executable segments, as far as the file has their bytes.
  std::vector<CodeSpan> Spans() const;

 private:
  elf::AddressMap map_;
  std::string_view bytes_;
};

// As string_view::find, which stops at each first byte, and that one is the most frequent of all in
// code for x86-64.
size_t FindCode(std::string_view code, std::string_view wanted, size_t from);

}  // namespace flarestack::record::unwind
