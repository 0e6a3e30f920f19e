// SPDX-License-Identifier: Apache-2.0
//
// Finds symbols of an ELF file by name: functions, data and thread-local variables.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "elf/elf_file.h"

namespace flarestack::record::runtime {

struct NamedSymbol {
  std::string_view name;
  uint8_t type = 0;  // STT_ of <elf.h>
  uint64_t value = 0;
  uint64_t size_bytes = 0;
};

// Visits the symbols that .dynsym and .symtab define, with a limit on the number of entries. A
// symbol may occur in both. Names are truncated after 64 bytes.
void VisitDefinedSymbols(const elf::ElfFile& file,
                         absl::FunctionRef<void(const NamedSymbol&)> visit);

}  // namespace flarestack::record::runtime
