// SPDX-License-Identifier: Apache-2.0
//
// Functions, files, lines and inlined calls of Go programs, from the table that the runtime itself
// uses for its stack traces. Stripped programs have it as well.
//
// Supports Go 1.2 to 1.26, with inlined calls from 1.16 on and start lines of functions from 1.20
// on. Names are Go's own, with `[...]` for type arguments. If moduledata, which locates the inline
// trees, is not found, ranges have the outermost function at the innermost line.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "elf/code_range.h"
#include "elf/elf_file.h"
#include "elf/go/go_limits.h"
#include "elf/go/go_pclntab_layout.h"

namespace flarestack::elf {

// Visits the ranges of a program in address order. Returns kNotFound if the file is not a Go
// program, kInvalidArgument if its table is corrupt, and kResourceExhausted if a limit is reached.
// An error of the visitor stops the visit and is returned.
absl::Status VisitGoFunctions(const ElfFile& file, const GoLimits& limits, CodeRangeVisitor visit);

// Information that a table does not contain itself.
struct GoTableSurroundings {
  uint64_t text_start = 0;  // for tables from 1.18 on
  // Returns the pointer at an offset of the table, as it is once the program is loaded.
  absl::FunctionRef<std::optional<uint64_t>(uint64_t offset)> pointer_at;
  // Returns the bytes of the inline tree that the function's slot refers to; empty if it has none.
  absl::FunctionRef<std::string_view(uint64_t slot)> inline_tree_at;
};

// The same for a bare table.
absl::Status VisitGoTable(const GoTable& table, const GoTableSurroundings& around,
                          const GoLimits& limits, CodeRangeVisitor visit);

}  // namespace flarestack::elf
