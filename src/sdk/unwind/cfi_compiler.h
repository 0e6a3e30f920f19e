// SPDX-License-Identifier: Apache-2.0
//
// Compiles the .eh_frame of a loaded module to unwind rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sdk/unwind/unwind_row.h"

namespace flarestack::sdk {

// A part of this process's memory that belongs to a module.
struct ModuleImage {
  uintptr_t begin = 0;         // first address of the module
  uintptr_t end = 0;           // behind its last one
  uintptr_t eh_frame_hdr = 0;  // 0: none
  // The segment with .eh_frame_hdr and .eh_frame; nothing outside of it is read.
  uintptr_t segment_begin = 0;
  uintptr_t segment_end = 0;
};

// Returns rows sorted by offset. Damaged entries are skipped. `rows_max` bounds the result; the
// functions beyond it have no rules.
std::vector<UnwindRow> CompileCfi(const ModuleImage& image, size_t rows_max);

}  // namespace flarestack::sdk
