// SPDX-License-Identifier: Apache-2.0
//
// Finding Go's function table in a file, and the runtime's own description of the program
// (`runtime.firstmoduledata`), which says where code starts and where the inline trees are.
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

// The section .gopclntab or .data.rel.ro.gopclntab; else a search of the loaded segments, for files
// without sections and for linkers that put the table into a section of another name. kNotFound
// when the file has none.
absl::StatusOr<GoTablePlace> FindGoTable(const GoImage& image, const GoLimits& limits);

struct GoModuleData {
  uint64_t text_start = 0;
  std::optional<uint64_t> func_data;  // moduledata.gofunc, from 1.18 on
};

// From the section .go.module (1.26 on), else found by what points at the table. Its pointers into
// the table must agree with the table's header. Nothing for tables before 1.16, and where none
// does.
std::optional<GoModuleData> FindGoModuleData(const GoImage& image, const GoTablePlace& place,
                                             const GoTable& table, const GoLimits& limits);

}  // namespace flarestack::elf
