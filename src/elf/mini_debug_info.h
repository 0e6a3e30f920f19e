// SPDX-License-Identifier: Apache-2.0
//
// .gnu_debugdata: an xz-compressed ELF file inside of a stripped one, with the symbols that .dynsym
// does not have. Fedora and its relatives ship their programs so. Its addresses are those of the
// outer file; elf_symbols.h joins the two.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "elf/elf_file.h"

namespace flarestack::elf {

inline constexpr uint64_t kMiniDebugInfoBytesMax = 64 << 20;

// The bytes of the inner file, which begin like an ELF file. kNotFound when there is none.
absl::StatusOr<std::string> ReadMiniDebugInfo(const ElfFile& file,
                                              uint64_t bytes_max = kMiniDebugInfoBytesMax);

}  // namespace flarestack::elf
