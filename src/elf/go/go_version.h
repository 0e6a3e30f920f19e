// SPDX-License-Identifier: Apache-2.0
//
// The version of Go that built a program, as its build information says. Stripped programs have it
// too.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "elf/elf_file.h"

namespace flarestack::elf {

// Returns for example "go1.26.8", a view into the file. kNotFound if the file is not a Go program
// or is older than Go 1.18, kInvalidArgument if its build information is corrupt.
absl::StatusOr<std::string_view> GoVersionOf(const ElfFile& file);

// Returns 26 for "go1.26.8", "go1.26" and "go1.26.8 X:experiment". Returns nullopt for development
// versions, betas and release candidates, whose runtime may be that of either version.
std::optional<uint32_t> GoMinorVersion(std::string_view version);

}  // namespace flarestack::elf
