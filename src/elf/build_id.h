// SPDX-License-Identifier: Apache-2.0
//
// The ids by which symbols are found, with their OTLP names: the linker writes
// process.executable.build_id.gnu and .go into a file. A stripped file and its debug file share
// them. (.htlhash is in htl_hash.h.)
#pragma once

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

}  // namespace flarestack::elf
