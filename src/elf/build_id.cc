// SPDX-License-Identifier: Apache-2.0
#include "elf/build_id.h"

#include <elf.h>

#include <algorithm>
#include <optional>

#include "base/text/encoding.h"
#include "elf/byte_cursor.h"

namespace flarestack::elf {
namespace {

constexpr NoteKind kGnuBuildId = {.owner = "GNU", .type = 3};
constexpr NoteKind kGoBuildId = {.owner = "Go", .type = 4};
// A SHA-512 has 64 bytes. --build-id=0x... accepts any length, but longer ids are not useful.
constexpr size_t kGnuBuildIdBytesMax = 64;
constexpr size_t kGoBuildIdBytesMax = 1024;
constexpr size_t kSafeBuildIdBytesMax = 256;

std::string GnuText(std::optional<std::string_view> id) {
  if (!id.has_value() || id->size() > kGnuBuildIdBytesMax)
    return {};
  return base::HexEncode(*id);
}

bool IsSafe(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

// Skips padding, which may be missing after the last note of a file.
void SkipPadding(uint64_t alignment, ByteCursor& in) {
  const uint64_t padding = (alignment - in.position() % alignment) % alignment;
  in.Take(std::min<uint64_t>(padding, in.rest().size()));
}

std::string_view WithoutNuls(std::string_view owner) { return owner.substr(0, owner.find('\0')); }

}  // namespace

std::string GnuBuildId(const ElfFile& file) { return GnuText(FindNote(file, kGnuBuildId)); }

std::string GnuBuildIdOfNotes(std::string_view notes) {
  return GnuText(FindNote(notes, kGnuBuildId));
}

std::string GoBuildId(const ElfFile& file) {
  const std::optional<std::string_view> id = FindNote(file, kGoBuildId);
  if (!id.has_value() || id->size() > kGoBuildIdBytesMax)
    return {};
  const bool is_printable = std::all_of(id->begin(), id->end(), [](char c) {
    return static_cast<uint8_t>(c) > 0x20 && static_cast<uint8_t>(c) < 0x7f;
  });
  return is_printable ? std::string(*id) : std::string();
}

bool IsSafeBuildId(std::string_view id) {
  return !id.empty() && id.size() <= kSafeBuildIdBytesMax &&
         std::all_of(id.begin(), id.end(), IsSafe);
}

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
