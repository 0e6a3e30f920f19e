// SPDX-License-Identifier: Apache-2.0
//
// The ids by which symbols are found, as OTLP names them: process.executable.build_id.gnu and .go
// are written into a file by its linker. A stripped file and its debug file share them. (.htlhash
// is in htl_hash.h.)
#pragma once

#include <string>
#include <string_view>

#include "elf/elf_file.h"

namespace flarestack::elf {

// Lower-case hexadecimal, mostly 40 digits; empty when the file has none.
std::string GnuBuildId(const ElfFile& file);

// Out of notes alone, such as /sys/kernel/notes and /sys/module/<name>/notes/.note.gnu.build-id.
std::string GnuBuildIdOfNotes(std::string_view notes);

// As `go tool buildid` prints it: parts with slashes between, upper and lower case. Not safe in a
// path. Empty when the file has none.
std::string GoBuildId(const ElfFile& file);

// Whether an id that came from outside may become part of a path or URL: [A-Za-z0-9_-]+ and at most
// 256 characters.
bool IsSafeBuildId(std::string_view id);

}  // namespace flarestack::elf
