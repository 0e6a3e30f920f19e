// SPDX-License-Identifier: Apache-2.0
//
// Functions, lines and inlines of DWARF 2 to 5, as code ranges.
//
//   FLARE_ASSIGN(const DwarfStatistics statistics, ReadDwarf({.file = bytes}, {}, add_to_table));
//
// Uses libdw, whose authors do not claim that it is safe against hostile files: run it in a process
// that may crash. The parts we read ourselves (lines, sections) are checked. Units are read one at
// a time, and the data of a unit is dropped after it.
//
// Split DWARF: the main file has the lines of a unit, and its functions are in a .dwo file, which
// is not searched for. Such a unit gives ranges without a function name, which a symbol table can
// fill in.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "elf/code_range.h"
#include "elf/dwarf/line_table.h"

namespace flarestack::elf {

struct DwarfInput {
  std::string_view file;           // an executable, a library, or its separate debug file
  std::string_view supplementary;  // the target of .gnu_debugaltlink (dwz); empty if none
};

struct DwarfLimits {
  uint64_t debug_bytes_max = uint64_t{16} << 30;  // of all sections, decompressed
  uint64_t units_max = 10'000'000;
  uint64_t dies_max = 200'000'000;
  uint32_t die_depth_max = 1'024;
  uint32_t inline_depth_max = 256;
  uint64_t scopes_max = 20'000'000;     // functions and inlined calls per unit
  uint64_t intervals_max = 50'000'000;  // pieces of code per unit
  uint64_t ranges_max = 500'000'000;
  uint64_t rows_max = 2'000'000'000;  // of all line programs; LineLimits limits each one
  uint32_t name_bytes_max = 1 << 20;  // a function with a longer name gets none
  LineLimits lines;
};

struct DwarfStatistics {
  uint64_t debug_bytes = 0;
  uint64_t unit_count = 0;
  uint64_t function_count = 0;  // functions with code
  uint64_t inline_count = 0;
  uint64_t range_count = 0;
  uint64_t die_count = 0;
  uint64_t row_count = 0;
  std::map<std::string, uint64_t> units_skipped;  // by reason; wholly or partly
};

// Ranges of one unit are ascending. No two ranges overlap, except for those without a function.
//
// Returns kNotFound if there is no DWARF, kUnimplemented for files whose addresses are not final,
// kResourceExhausted if a limit is reached, and kInvalidArgument if it is not an ELF file. Errors
// within one unit are counted, and the other units are read.
absl::StatusOr<DwarfStatistics> ReadDwarf(const DwarfInput& input, const DwarfLimits& limits,
                                          CodeRangeVisitor visit);

}  // namespace flarestack::elf
