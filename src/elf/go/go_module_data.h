// SPDX-License-Identifier: Apache-2.0
//
// Finds Go's function table in a file, and the runtime's own description of the program
// (`runtime.firstmoduledata`), which gives the start of the code and the location of the inline
// trees.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "elf/go/go_image.h"
#include "elf/go/go_pclntab_layout.h"

namespace flarestack::elf {

struct GoTablePlace {
  uint64_t address = 0;
  std::string_view bytes;
};

// Uses the section .gopclntab or .data.rel.ro.gopclntab. Without one, searches the loaded segments,
// for files without sections and for linkers that put the table into a section with another name.
// Returns kNotFound if the file has none.
absl::StatusOr<GoTablePlace> FindGoTable(const GoImage& image, const GoLimits& limits);

struct GoModuleData {
  uint64_t text_start = 0;
  std::optional<uint64_t> func_data;  // moduledata.gofunc, from 1.18 on
};

// Uses the section .go.module (1.26 on), or searches for pointers to the table. A candidate's
// pointers into the table must agree with the table's header. Returns nullopt for tables before
// 1.16, and if no candidate matches.
std::optional<GoModuleData> FindGoModuleData(const GoImage& image, const GoTablePlace& place,
                                             const GoTable& table, const GoLimits& limits);

}  // namespace flarestack::elf
