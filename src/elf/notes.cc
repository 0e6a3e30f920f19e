// SPDX-License-Identifier: Apache-2.0
#include "elf/notes.h"

#include <elf.h>

#include <algorithm>

#include "elf/byte_cursor.h"

namespace flarestack::elf {
namespace {

// Skips padding, which may be missing after the last note of a file.
void SkipPadding(uint64_t alignment, ByteCursor& in) {
  const uint64_t padding = (alignment - in.position() % alignment) % alignment;
  in.Take(std::min<uint64_t>(padding, in.rest().size()));
}

std::string_view WithoutNuls(std::string_view owner) { return owner.substr(0, owner.find('\0')); }

}  // namespace

std::optional<std::string_view> FindNote(std::string_view notes, NoteKind kind,
                                         uint64_t alignment) {
  const uint64_t padded_to = alignment == 8 ? 8 : 4;
  ByteCursor in(notes);
  while (in.ok() && !in.AtEnd()) {
    const uint32_t owner_bytes = in.U32();
    const uint32_t description_bytes = in.U32();
    const uint32_t type = in.U32();
    const std::string_view owner = WithoutNuls(in.Take(owner_bytes));
    SkipPadding(padded_to, in);
    const std::string_view description = in.Take(description_bytes);
    SkipPadding(padded_to, in);
    if (in.ok() && type == kind.type && owner == kind.owner)
      return description;
  }
  return std::nullopt;
}

std::optional<std::string_view> FindNote(const ElfFile& file, NoteKind kind) {
  for (const Section& section : file.sections()) {
    if (section.type != SHT_NOTE)
      continue;
    if (auto found = FindNote(file.SectionBytes(section), kind, section.alignment))
      return found;
  }
  for (const Segment& segment : file.segments()) {
    if (segment.type != PT_NOTE)
      continue;
    if (auto found = FindNote(file.SegmentBytes(segment), kind, segment.alignment))
      return found;
  }
  return std::nullopt;
}

}  // namespace flarestack::elf
