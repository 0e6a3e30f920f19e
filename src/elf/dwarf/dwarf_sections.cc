// SPDX-License-Identifier: Apache-2.0
#include "elf/dwarf/dwarf_sections.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/status.h"

namespace flarestack::elf {
namespace {

// The sections libdw needs for functions and their names; variables and types are not needed.
constexpr std::array<std::string_view, 12> kNeeded = {
    ".debug_info",  ".debug_abbrev",      ".debug_str",        ".debug_line_str",
    ".debug_line",  ".debug_ranges",      ".debug_rnglists",   ".debug_addr",
    ".debug_types", ".debug_str_offsets", ".gnu_debugaltlink", ".debug_sup",
};

bool IsDebug(std::string_view name) {
  return name.starts_with(".debug_") || name.starts_with(".zdebug_");
}

bool IsCompressed(const Section& section) {
  return (section.flags & SHF_COMPRESSED) != 0 || section.name.starts_with(".zdebug_");
}

template <typename T>
void AppendStruct(const T& value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// The decompressed size that the section states. Contents() enforces it.
uint64_t ExpandedBytes(const ElfFile& elf, const Section& section) {
  ByteCursor in(elf.SectionBytes(section));
  if ((section.flags & SHF_COMPRESSED) != 0) {
    in.U64();  // the compression type, and a reserved word
    return in.U64();
  }
  if (section.name.starts_with(".zdebug_")) {
    in.U32();  // "ZLIB"
    return __builtin_bswap64(in.U64());
  }
  return section.type == SHT_NOBITS ? 0 : section.size_bytes;
}

}  // namespace

absl::StatusOr<DwarfSections> DwarfSections::Open(std::string_view file, uint64_t bytes_max) {
  FLARE_ASSIGN(const ElfFile elf, ElfFile::Parse(file));
  DwarfSections sections;
  sections.file_ = file;
  if (elf.type() == ET_REL) {
    return absl::UnimplementedError(
        "a relocatable file: its addresses are known only after linking");
  }
  const Section* info = elf.FindSection(".debug_info");
  if (info == nullptr || elf.SectionBytes(*info).empty())
    return absl::NotFoundError("no .debug_info section");
  FLARE_RETURN_IF_ERROR(sections.Measure(elf, bytes_max));
  sections.FindCode(elf);
  if (sections.compressed_) {
    FLARE_RETURN_IF_ERROR(sections.Rewrite(elf, bytes_max));
    return sections;
  }
  const auto slice = [&elf](std::string_view name) {
    const Section* section = elf.FindSection(name);
    if (section == nullptr || elf.SectionBytes(*section).empty())
      return Slice{};
    return Slice{section->offset, section->size_bytes};
  };
  sections.debug_line_ = slice(".debug_line");
  sections.debug_line_str_ = slice(".debug_line_str");
  sections.debug_str_ = slice(".debug_str");
  return sections;
}

absl::Status DwarfSections::Measure(const ElfFile& elf, uint64_t bytes_max) {
  for (const Section& section : elf.sections()) {
    if (!IsDebug(section.name))
      continue;
    compressed_ = compressed_ || IsCompressed(section);
    const uint64_t bytes = ExpandedBytes(elf, section);
    if (bytes > bytes_max - debug_bytes_) {
      return absl::ResourceExhaustedError(
          base::StrCat("more than ", bytes_max, " bytes of debug sections"));
    }
    debug_bytes_ += bytes;
  }
  return absl::OkStatus();
}

// Sections are more precise than segments, which may begin with file headers. Debug files have the
// code sections too, without bytes.
void DwarfSections::FindCode(const ElfFile& elf) {
  const auto add = [this](uint64_t begin, uint64_t size_bytes) {
    if (size_bytes > 0 && begin <= std::numeric_limits<uint64_t>::max() - size_bytes)
      code_.push_back({begin, begin + size_bytes});
  };
  for (const Section& section : elf.sections()) {
    if ((section.flags & SHF_ALLOC) != 0 && (section.flags & SHF_EXECINSTR) != 0)
      add(section.address, section.size_bytes);
  }
  if (code_.empty()) {
    for (const Segment& segment : elf.segments()) {
      if (segment.type == PT_LOAD && segment.is_executable())
        add(segment.address, segment.memory_bytes);
    }
  }
  std::ranges::sort(code_, {}, &CodeArea::begin);
  std::vector<CodeArea> joined;
  for (const CodeArea& area : code_) {
    if (!joined.empty() && area.begin <= joined.back().end)
      joined.back().end = std::max(joined.back().end, area.end);
    else
      joined.push_back(area);
  }
  code_ = std::move(joined);
}

bool DwarfSections::IsCode(uint64_t address) const {
  const auto after = std::ranges::upper_bound(code_, address, {}, &CodeArea::begin);
  return after != code_.begin() && address < std::prev(after)->end;
}

absl::Status DwarfSections::Rewrite(const ElfFile& elf, uint64_t bytes_max) {
  std::string names(1, '\0');
  std::vector<Elf64_Shdr> headers(1, Elf64_Shdr{});
  owned_.assign(sizeof(Elf64_Ehdr), '\0');
  const auto add_name = [&names](std::string_view name) {
    const auto offset = static_cast<Elf64_Word>(names.size());
    names.append(name).push_back('\0');
    return offset;
  };
  const auto add = [&](Elf64_Word name, std::string_view bytes, Elf64_Word type) {
    Elf64_Shdr header = {};
    header.sh_name = name;
    header.sh_type = type;
    header.sh_offset = owned_.size();
    header.sh_size = bytes.size();
    header.sh_addralign = 1;
    headers.push_back(header);
    owned_ += bytes;
    return Slice{header.sh_offset, header.sh_size};
  };
  for (const std::string_view name : kNeeded) {
    const Section* section = elf.FindSection(name);
    if (section == nullptr)
      continue;
    FLARE_ASSIGN(const SectionContents contents, elf.Contents(*section, bytes_max));
    const Slice slice = add(add_name(name), contents.view(), SHT_PROGBITS);
    if (name == ".debug_line")
      debug_line_ = slice;
    else if (name == ".debug_line_str")
      debug_line_str_ = slice;
    else if (name == ".debug_str")
      debug_str_ = slice;
  }
  const Elf64_Word names_name = add_name(".shstrtab");
  add(names_name, names, SHT_STRTAB);
  owned_.resize((owned_.size() + 7) / 8 * 8);

  Elf64_Ehdr header = {};
  std::copy_n(elf.bytes().data(), EI_NIDENT, reinterpret_cast<char*>(header.e_ident));
  header.e_type = elf.type();
  header.e_machine = elf.machine();
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shoff = owned_.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(headers.size());
  header.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
  for (const Elf64_Shdr& section : headers)
    AppendStruct(section, &owned_);
  owned_.replace(0, sizeof(header), reinterpret_cast<const char*>(&header), sizeof(header));
  return absl::OkStatus();
}

std::string_view DwarfSections::At(const Slice& slice) const {
  const std::string_view bytes = image();
  if (slice.offset > bytes.size() || slice.size_bytes > bytes.size() - slice.offset)
    return {};
  return bytes.substr(static_cast<size_t>(slice.offset), static_cast<size_t>(slice.size_bytes));
}

LineSections DwarfSections::lines() const {
  return {.debug_line = At(debug_line_),
          .debug_line_str = At(debug_line_str_),
          .debug_str = At(debug_str_)};
}

}  // namespace flarestack::elf
