// SPDX-License-Identifier: Apache-2.0
#include "elf/build_id.h"

#include <algorithm>
#include <optional>

#include "base/text/encoding.h"
#include "elf/notes.h"

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

}  // namespace flarestack::elf
