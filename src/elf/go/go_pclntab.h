// SPDX-License-Identifier: Apache-2.0
//
// Functions, files, lines and inlined calls of Go programs, from the table that the runtime itself
// uses for its stack traces. It is there in stripped programs as well.
//
// Go 1.2 to 1.26. Inlined calls from 1.16 on, start lines of functions from 1.20 on. Names are as
// Go has them, with `[...]` for type arguments. Where the description of the program that says
// where inline trees are is not found, ranges have the outermost function at the innermost line.
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

// Visits the ranges of a program in order of their addresses. kNotFound when the file is not of Go,
// kInvalidArgument when its table is damaged, kResourceExhausted when a limit is reached; an error
// of the visitor ends the visit and is returned.
absl::Status VisitGoFunctions(const ElfFile& file, const GoLimits& limits, CodeRangeVisitor visit);

// What a table does not hold itself.
struct GoTableSurroundings {
  uint64_t text_start = 0;  // for tables of 1.18 on
  // The pointer at an offset of the table, as it will be once the program is loaded.
  absl::FunctionRef<std::optional<uint64_t>(uint64_t offset)> pointer_at;
  // The bytes of the inline tree that the function's slot refers to; empty when it has none.
  absl::FunctionRef<std::string_view(uint64_t slot)> inline_tree_at;
};

// The same for a table alone.
absl::Status VisitGoTable(const GoTable& table, const GoTableSurroundings& around,
                          const GoLimits& limits, CodeRangeVisitor visit);

}  // namespace flarestack::elf
