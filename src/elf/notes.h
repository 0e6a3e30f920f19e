// SPDX-License-Identifier: Apache-2.0
//
// ELF notes: a list of {owner, type, description} in PT_NOTE segments, note sections, and kernel
// files such as /sys/kernel/notes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "elf/elf_file.h"

namespace flarestack::elf {

struct NoteKind {
  std::string_view owner;  // without the trailing NUL
  uint32_t type = 0;
};

// Returns the description of the first matching note. Stops at the first corrupt note. `alignment`
// is that of the segment or section: 8 pads to 8 bytes, everything else to 4.
std::optional<std::string_view> FindNote(std::string_view notes, NoteKind kind,
                                         uint64_t alignment = 4);

// Searches all note sections, then all note segments. Sections come first, because the program
// headers of separate debug files still contain the offsets of the original file.
std::optional<std::string_view> FindNote(const ElfFile& file, NoteKind kind);

}  // namespace flarestack::elf
