// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/java/java_file.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace flarestack::record::runtime {
namespace {

constexpr uint64_t kSymbolsMax = 1 << 20;
constexpr std::string_view kPrefix = "gHotSpotVM";

// The variables, without the prefix.
using Member = uint64_t VmTables::*;
constexpr std::pair<std::string_view, Member> kVariables[] = {
    {"Structs", &VmTables::structs},
    {"StructEntryTypeNameOffset", &VmTables::struct_type_name},
    {"StructEntryFieldNameOffset", &VmTables::struct_field_name},
    {"StructEntryIsStaticOffset", &VmTables::struct_is_static},
    {"StructEntryOffsetOffset", &VmTables::struct_offset},
    {"StructEntryAddressOffset", &VmTables::struct_address},
    {"StructEntryArrayStride", &VmTables::struct_stride},
    {"Types", &VmTables::types},
    {"TypeEntryTypeNameOffset", &VmTables::type_name},
    {"TypeEntrySizeOffset", &VmTables::type_size},
    {"TypeEntryArrayStride", &VmTables::type_stride},
    {"IntConstants", &VmTables::ints},
    {"IntConstantEntryNameOffset", &VmTables::int_name},
    {"IntConstantEntryValueOffset", &VmTables::int_value},
    {"IntConstantEntryArrayStride", &VmTables::int_stride},
};

std::string_view NameAt(std::string_view names, uint64_t offset) {
  if (offset >= names.size())
    return {};
  // Longer than any of ours, so that a table without ends is not searched for each symbol.
  const std::string_view name = names.substr(offset, 64);
  return name.substr(0, name.find('\0'));
}

void Take(std::string_view name, uint64_t value, VmTables* tables) {
  if (name.substr(0, kPrefix.size()) != kPrefix)
    return;
  name.remove_prefix(kPrefix.size());
  name = name.substr(0, name.find('@'));
  for (const auto& [variable, member] : kVariables) {
    if (name == variable)
      tables->*member = value;
  }
}

}  // namespace

absl::StatusOr<VmTables> ReadJavaFile(const elf::ElfFile& file) {
  VmTables tables;
  const elf::Section* symbols = file.FindSectionOfType(SHT_DYNSYM);
  if (symbols == nullptr || symbols->link >= file.sections().size())
    return absl::NotFoundError("not HotSpot: no dynamic symbols");
  const std::string_view entries = file.SectionBytes(*symbols);
  const std::string_view names = file.SectionBytes(file.sections()[symbols->link]);
  const uint64_t count = std::min<uint64_t>(entries.size() / sizeof(Elf64_Sym), kSymbolsMax);
  for (uint64_t i = 0; i < count; ++i) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, entries.data() + i * sizeof(symbol), sizeof(symbol));
    if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT)
      Take(NameAt(names, symbol.st_name), symbol.st_value, &tables);
  }
  for (const auto& [variable, member] : kVariables) {
    if (tables.*member == 0)
      return absl::NotFoundError("not HotSpot: its debugger interface is not exported");
  }
  return tables;
}

}  // namespace flarestack::record::runtime
