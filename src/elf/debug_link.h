// SPDX-License-Identifier: Apache-2.0
//
// Where a stripped file says its debug information is: .gnu_debuglink names a file and its CRC,
// .gnu_debugaltlink (made by dwz) names a file that several debug files share, and its build id.
// The names are those of a file nobody trusts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "elf/elf_file.h"

namespace flarestack::elf {

struct DebugLink {
  std::string_view file_name;  // a plain name: no slash, not "." or ".."
  uint32_t crc32 = 0;          // of all bytes of that file
};

struct DebugAltLink {
  // Often a path, absolute or with "..": for people to read. Look the file up by its id.
  std::string_view file_name;
  std::string build_id;  // lower-case hexadecimal
};

// Both: kNotFound when the file has no such section, kInvalidArgument when it is damaged or its
// name could lead out of a directory.
absl::StatusOr<DebugLink> ReadDebugLink(const ElfFile& file);
absl::StatusOr<DebugAltLink> ReadDebugAltLink(const ElfFile& file);

// Whether these are the bytes of the file that the link means.
bool IsLinked(const DebugLink& link, std::string_view debug_file_bytes);

}  // namespace flarestack::elf
