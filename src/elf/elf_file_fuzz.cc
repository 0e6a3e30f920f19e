// SPDX-License-Identifier: Apache-2.0
//
// Arbitrary bytes parse as an ELF file or are rejected. All views lie inside the file, ids and
// names are safe to use, and symbols are sorted, disjoint, and can be found again.
#include <elf.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "elf/address_map.h"
#include "elf/build_id.h"
#include "elf/debug_files/debug_link.h"
#include "elf/debug_files/mini_debug_info.h"
#include "elf/elf_file.h"
#include "elf/elf_symbols.h"
#include "elf/htl_hash.h"

namespace {

namespace elf = flarestack::elf;

constexpr uint64_t kContentsBytesMax = 1 << 20;

void CheckSections(const elf::ElfFile& file) {
  const auto is_inside = [&file](std::string_view view) {
    return view.empty() || (view.data() >= file.bytes().data() &&
                            view.data() + view.size() <= file.bytes().data() + file.bytes().size());
  };
  for (const elf::Section& section : file.sections()) {
    FLARE_CHECK(is_inside(file.SectionBytes(section)));
    FLARE_CHECK(is_inside(section.name));
    FLARE_CHECK(section.name.size() <= elf::ElfFile::kSectionNameBytesMax);
    const auto contents = file.Contents(section, kContentsBytesMax);
    FLARE_CHECK(!contents.ok() || contents->view().size() <= kContentsBytesMax);
    if (!section.name.empty()) {
      const elf::Section* found = file.FindSection(section.name);
      FLARE_CHECK(found != nullptr && found->name == section.name);
    }
  }
  const elf::AddressMap map(file);
  for (const elf::Segment& segment : file.segments()) {
    FLARE_CHECK(is_inside(file.SegmentBytes(segment)));
    if (const auto address = map.OffsetToAddress(segment.offset); address.has_value())
      FLARE_CHECK(map.AddressToOffset(*address).has_value());
  }
}

bool IsInCode(const elf::ElfFile& file, uint64_t address) {
  for (const elf::Section& section : file.sections()) {
    if ((section.flags & SHF_EXECINSTR) != 0 && address >= section.address &&
        address - section.address < section.size_bytes)
      return true;
  }
  return false;
}

void CheckSymbols(const elf::ElfFile& file) {
  const auto symbols = elf::ReadFunctionSymbols(file);
  if (!symbols.ok())
    return;
  FLARE_CHECK(*elf::ReadFunctionSymbols(file) == *symbols);
  uint64_t end = 0;
  for (const elf::ElfSymbol& symbol : *symbols) {
    FLARE_CHECK(symbol.begin >= end && symbol.end > symbol.begin, symbol.begin, " ", symbol.end);
    end = symbol.end;
    FLARE_CHECK(!symbol.name.empty());
    FLARE_CHECK(elf::FindSymbol(*symbols, symbol.begin) == &symbol);
    FLARE_CHECK(elf::FindSymbol(*symbols, symbol.end - 1) == &symbol);
    FLARE_CHECK(IsInCode(file, symbol.begin) && IsInCode(file, symbol.end - 1));
  }
}

void CheckIds(const elf::ElfFile& file) {
  const std::string gnu = elf::GnuBuildId(file);
  FLARE_CHECK(gnu.empty() || elf::IsSafeBuildId(gnu), gnu);
  FLARE_CHECK(elf::GoBuildId(file).find('\n') == std::string::npos);
  FLARE_CHECK(elf::HtlHash(file.bytes()).size() == 32);
  if (const auto link = elf::ReadDebugLink(file); link.ok())
    FLARE_CHECK(!link->file_name.empty() && link->file_name.find('/') == std::string_view::npos);
  if (const auto link = elf::ReadDebugAltLink(file); link.ok())
    FLARE_CHECK(elf::IsSafeBuildId(link->build_id));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto file = elf::ElfFile::Parse(bytes);
  if (!file.ok())
    return 0;
  CheckSections(*file);
  CheckSymbols(*file);
  CheckIds(*file);
  if (const auto inner = elf::ReadMiniDebugInfo(*file, kContentsBytesMax); inner.ok()) {
    const auto inner_file = elf::ElfFile::Parse(*inner);
    FLARE_CHECK(inner_file.ok());
    CheckSymbols(*inner_file);
  }
  return 0;
}
