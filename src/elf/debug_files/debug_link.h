// SPDX-License-Identifier: Apache-2.0
//
// Links from a stripped file to its debug information. .gnu_debuglink names a file and its CRC.
// .gnu_debugaltlink (made by dwz) names a file that several debug files share, and its build id.
// The names come from an untrusted file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "elf/elf_file.h"

namespace flarestack::elf {

struct DebugLink {
  std::string_view file_name;  // a bare name: no slash, not "." or ".."
  uint32_t crc32 = 0;          // of the whole file
};

struct DebugAltLink {
  // Often a path, absolute or with "..": only for display. Look the file up by its id.
  std::string_view file_name;
  std::string build_id;  // lower-case hexadecimal
};

// Both return kNotFound if the file has no such section, and kInvalidArgument if it is corrupt or
// its name could escape a directory.
absl::StatusOr<DebugLink> ReadDebugLink(const ElfFile& file);
absl::StatusOr<DebugAltLink> ReadDebugAltLink(const ElfFile& file);

// True if these are the bytes of the linked file.
bool IsLinked(const DebugLink& link, std::string_view debug_file_bytes);

}  // namespace flarestack::elf
