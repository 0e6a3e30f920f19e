// SPDX-License-Identifier: Apache-2.0
//
// The ids by which symbols are found, with their OTLP names: the linker writes
// process.executable.build_id.gnu and .go into a file. A stripped file and its debug file share
// them. (.htlhash is in htl_hash.h.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "elf/elf_file.h"

namespace flarestack::elf {

// Lower-case hexadecimal, usually 40 digits; empty if the file has none.
std::string GnuBuildId(const ElfFile& file);

// Reads bare notes, such as /sys/kernel/notes and /sys/module/<name>/notes/.note.gnu.build-id.
std::string GnuBuildIdOfNotes(std::string_view notes);

// As printed by `go tool buildid`: parts separated by slashes, in upper and lower case. Not safe in
// a path. Empty if the file has none.
std::string GoBuildId(const ElfFile& file);

// True if an id from outside may become part of a path or URL: [A-Za-z0-9_-]+ and at most 256
// characters.
bool IsSafeBuildId(std::string_view id);

// ELF notes: a list of {owner, type, description} in PT_NOTE segments, note sections, and kernel
// files such as /sys/kernel/notes.
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
