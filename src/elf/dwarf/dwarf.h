// SPDX-License-Identifier: Apache-2.0
//
// Functions, lines and inlines of DWARF 2 to 5, as code ranges.
//
//   FLARE_ASSIGN(const DwarfStatistics statistics, ReadDwarf({.file = bytes}, {}, add_to_table));
//
// Stands on libdw, whose makers do not call it safe against hostile files: run it in a process that
// may crash. What we read ourselves (lines, sections) is checked. Units are read one after the
// other, and what was read of one is forgotten with it.
//
// Split DWARF: the main file has the lines of a unit, and its functions are in a .dwo file, which
// is not looked for. Such a unit gives ranges without a function name, which a symbol table can
// fill.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "elf/code_range.h"
#include "elf/dwarf/dwarf_lines.h"

namespace flarestack::elf {

struct DwarfInput {
  std::string_view file;           // an executable, a library, or its separate debug file
  std::string_view supplementary;  // what .gnu_debugaltlink names (dwz); empty when there is none
};

struct DwarfLimits {
  uint64_t debug_bytes_max = uint64_t{16} << 30;  // of all sections, decompressed
  uint64_t units_max = 10'000'000;
  uint64_t dies_max = 200'000'000;
  uint32_t die_depth_max = 1'024;
  uint32_t inline_depth_max = 256;
  uint64_t scopes_max = 20'000'000;     // functions and inlined calls of one unit
  uint64_t intervals_max = 50'000'000;  // pieces of code of one unit
  uint64_t ranges_max = 500'000'000;
  uint64_t rows_max = 2'000'000'000;  // of all line programs; LineLimits has that of one
  uint32_t name_bytes_max = 1 << 20;  // a function with a longer name has none
  LineLimits lines;
};

struct DwarfStatistics {
  uint64_t debug_bytes = 0;
  uint64_t unit_count = 0;
  uint64_t function_count = 0;  // with code of their own
  uint64_t inline_count = 0;
  uint64_t range_count = 0;
  uint64_t die_count = 0;
  uint64_t row_count = 0;
  std::map<std::string, uint64_t> units_skipped;  // by reason; in whole or in part
};

// Ranges of one unit ascend, and no two of all ranges overlap, but for those without a function.
//
// kNotFound when there is no DWARF, kUnimplemented for files whose addresses are not final,
// kResourceExhausted when a limit is reached, kInvalidArgument for what is no ELF file. Faults
// within one unit are counted, and the others are read.
absl::StatusOr<DwarfStatistics> ReadDwarf(const DwarfInput& input, const DwarfLimits& limits,
                                          CodeRangeVisitor visit);

}  // namespace flarestack::elf
