// SPDX-License-Identifier: Apache-2.0
//
// Builds one symbol table from everything known about a program or library: its own file, its
// separate debug file, and the supplementary file that several debug files share (dwz).
//
// Reads DWARF through libdw, so untrusted files must be read in a process that may crash.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "elf/dwarf/dwarf.h"
#include "elf/elf_symbols.h"
#include "elf/go/go_pclntab.h"
#include "symbol/table/table_format.h"
#include "symbol/table/table_writer.h"

namespace flarestack::symbol {

// At least one of the first two is required.
struct TableInput {
  std::string_view executable;
  std::string_view debug_file;
  std::string_view supplementary;
};

struct BuildLimits {
  elf::DwarfLimits dwarf;
  elf::SymbolLimits symbols;
  elf::GoLimits go;
  TableLimits table;
};

struct BuiltTable {
  std::string bytes;
  std::vector<FileId> ids;
  elf::DwarfStatistics dwarf;                             // zeros if there is none
  std::array<uint64_t, kQualityCount> range_counts = {};  // read, by Quality
  // Readable notes on what was found and what is missing: "no DWARF: no .debug_info section", "812
  // names from dynsym".
  std::vector<std::string> notes;
};

// A part that cannot be read becomes a note, as long as another part provides something. Returns
// kInvalidArgument if no file is usable or the debug file is from another build, kNotFound if
// nothing at all is known, and kResourceExhausted if a limit is reached.
absl::StatusOr<BuiltTable> BuildTable(const TableInput& input, const BuildLimits& limits = {});

}  // namespace flarestack::symbol
