// SPDX-License-Identifier: Apache-2.0
//
// .gnu_debugdata: an xz-compressed ELF file inside a stripped one, with the symbols missing from
// .dynsym. Fedora and related distributions ship their programs this way. Its addresses are those
// of the outer file; elf_symbols.h merges the two.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "elf/elf_file.h"

namespace flarestack::elf {

inline constexpr uint64_t kMiniDebugInfoBytesMax = 64 << 20;

// Returns the bytes of the inner file, checked to be an ELF file, or kNotFound if there is none.
absl::StatusOr<std::string> ReadMiniDebugInfo(const ElfFile& file,
                                              uint64_t bytes_max = kMiniDebugInfoBytesMax);

}  // namespace flarestack::elf
