// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/python/python_symbols.h"

#include <elf.h>

#include <algorithm>

#include "elf/byte_cursor.h"

namespace flarestack::record::runtime {
namespace {

constexpr uint64_t kSymbolBytes = 24;
constexpr uint64_t kSymbolsMax = uint64_t{1} << 22;
constexpr size_t kNameBytesMax = 64;

std::string_view NameAt(std::string_view names, uint32_t offset) {
  if (offset >= names.size())
    return {};
  const std::string_view rest = names.substr(offset, kNameBytesMax);
  return rest.substr(0, rest.find('\0'));
}

}  // namespace

void VisitDefinedSymbols(const elf::ElfFile& file,
                         absl::FunctionRef<void(const NamedSymbol&)> visit) {
  uint64_t left = kSymbolsMax;
  for (const elf::Section& table : file.sections()) {
    if ((table.type != SHT_SYMTAB && table.type != SHT_DYNSYM) ||
        table.link >= file.sections().size())
      continue;
    const std::string_view names = file.SectionBytes(file.sections()[table.link]);
    const std::string_view entries = file.SectionBytes(table);
    const uint64_t count = std::min<uint64_t>(left, entries.size() / kSymbolBytes);
    left -= count;
    elf::ByteCursor in(entries.substr(0, count * kSymbolBytes));
    while (!in.AtEnd()) {
      const uint32_t name_offset = in.U32();
      const uint8_t info = in.U8();
      in.U8();  // visibility
      const uint16_t section_index = in.U16();
      const uint64_t value = in.U64();
      const uint64_t size_bytes = in.U64();
      if (section_index == SHN_UNDEF)
        continue;
      visit({.name = NameAt(names, name_offset),
             .type = static_cast<uint8_t>(info & 0xf),
             .value = value,
             .size_bytes = size_bytes});
    }
  }
}

}  // namespace flarestack::record::runtime
