// SPDX-License-Identifier: Apache-2.0
#include "elf/testing/elf_builder.h"

#include <utility>

namespace flarestack::elf::testing {
namespace {

constexpr uint64_t kHeaderBytes = 64;
constexpr uint64_t kSegmentHeaderBytes = 56;
constexpr uint16_t kSectionHeaderBytes = 64;

void PadTo(uint64_t alignment, std::string* out) {
  while (alignment > 1 && out->size() % alignment != 0)
    out->push_back('\0');
}

void AppendSegment(const NewSegment& segment, std::string* out) {
  Append(segment.type, out);
  Append(segment.flags, out);
  Append(segment.offset, out);
  Append(segment.address, out);
  Append(segment.address, out);
  Append(segment.file_bytes, out);
  Append(segment.memory_bytes == 0 ? segment.file_bytes : segment.memory_bytes, out);
  Append(uint64_t{0x1000}, out);
}

void AppendSection(const NewSection& section, uint32_t name, uint64_t offset, std::string* out) {
  Append(name, out);
  Append(section.type, out);
  Append(section.flags, out);
  Append(section.address, out);
  Append(offset, out);
  Append(section.type == SHT_NOBITS ? section.nobits_bytes : section.bytes.size(), out);
  Append(section.link, out);
  Append(section.info, out);
  Append(section.alignment, out);
  Append(section.entry_bytes, out);
}

}  // namespace

size_t ElfBuilder::AddSection(NewSection section) {
  sections_.push_back(std::move(section));
  return sections_.size() - 1;
}

void ElfBuilder::AddSegment(const NewSegment& segment) { segments_.push_back(segment); }

void ElfBuilder::AddSegmentOver(size_t section, uint32_t type, uint32_t flags) {
  overs_.push_back({.segment = segments_.size(), .section = section});
  segments_.push_back({.type = type, .flags = flags});
}

void ElfBuilder::AddSymbols(const std::string& table, const std::vector<NewSymbol>& symbols) {
  const bool is_dynamic = table == ".dynsym";
  std::string names(1, '\0');
  std::string bytes(24, '\0');
  for (const NewSymbol& symbol : symbols) {
    Append(static_cast<uint32_t>(names.size()), &bytes);
    bytes.push_back(static_cast<char>(symbol.binding << 4 | symbol.type));
    bytes.push_back('\0');
    Append(static_cast<uint16_t>(symbol.section), &bytes);
    Append(symbol.address, &bytes);
    Append(symbol.size_bytes, &bytes);
    names += symbol.name;
    names.push_back('\0');
  }
  const size_t names_index = AddSection({.name = is_dynamic ? ".dynstr" : ".strtab",
                                         .type = SHT_STRTAB,
                                         .bytes = std::move(names),
                                         .alignment = 1});
  AddSection({.name = table,
              .type = is_dynamic ? uint32_t{SHT_DYNSYM} : uint32_t{SHT_SYMTAB},
              .bytes = std::move(bytes),
              .link = static_cast<uint32_t>(names_index),
              .info = 1,
              .entry_bytes = 24});
}

std::string ElfBuilder::Build() const {
  std::vector<NewSection> sections = sections_;
  std::string names;
  std::vector<uint32_t> name_offsets;
  sections.push_back({.name = ".shstrtab", .type = SHT_STRTAB, .alignment = 1});
  for (const NewSection& section : sections) {
    name_offsets.push_back(static_cast<uint32_t>(names.size()));
    names += section.name;
    names.push_back('\0');
  }
  sections.back().bytes = names;

  std::string body;
  body.resize(kHeaderBytes + kSegmentHeaderBytes * segments_.size());
  std::vector<uint64_t> offsets;
  for (const NewSection& section : sections) {
    PadTo(section.alignment, &body);
    offsets.push_back(body.size());
    if (section.type != SHT_NOBITS)
      body += section.bytes;
  }
  PadTo(8, &body);
  const uint64_t sections_offset = body.size();
  for (size_t i = 0; i < sections.size(); ++i)
    AppendSection(sections[i], name_offsets[i], i == 0 ? 0 : offsets[i], &body);

  std::vector<NewSegment> segments = segments_;
  for (const Over& over : overs_) {
    NewSegment& segment = segments[over.segment];
    segment.offset = offsets[over.section];
    segment.address = sections[over.section].address;
    segment.file_bytes = sections[over.section].bytes.size();
  }
  std::string head =
      "\x7f"
      "ELF\x02\x01\x01";
  head.resize(EI_NIDENT);
  Append(type_, &head);
  Append(machine_, &head);
  Append(uint32_t{1}, &head);
  Append(uint64_t{0}, &head);
  Append(segments.empty() ? uint64_t{0} : kHeaderBytes, &head);
  Append(sections_offset, &head);
  Append(uint32_t{0}, &head);
  Append(static_cast<uint16_t>(kHeaderBytes), &head);
  Append(static_cast<uint16_t>(kSegmentHeaderBytes), &head);
  Append(static_cast<uint16_t>(segments.size()), &head);
  Append(kSectionHeaderBytes, &head);
  Append(static_cast<uint16_t>(sections.size()), &head);
  Append(static_cast<uint16_t>(sections.size() - 1), &head);
  for (const NewSegment& segment : segments)
    AppendSegment(segment, &head);
  return body.replace(0, head.size(), head);
}

std::string Note(std::string_view owner, uint32_t type, std::string_view description) {
  std::string out;
  Append(static_cast<uint32_t>(owner.size() + 1), &out);
  Append(static_cast<uint32_t>(description.size()), &out);
  Append(type, &out);
  out += owner;
  out.push_back('\0');
  PadTo(4, &out);
  out += description;
  PadTo(4, &out);
  return out;
}

}  // namespace flarestack::elf::testing
