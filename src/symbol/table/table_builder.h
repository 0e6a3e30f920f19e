// SPDX-License-Identifier: Apache-2.0
//
// One symbol table out of everything that is known about a program or library: its own file, its
// separate debug file, and the supplementary file that several debug files share (dwz).
//
// Reads DWARF through libdw, so it belongs into a process that may crash when the files are those
// of others.
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

// One of the first two must be there.
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
  elf::DwarfStatistics dwarf;                             // zeros when there is none
  std::array<uint64_t, kQualityCount> range_counts = {};  // read, by Quality
  // What was found and what is missing, in words: "no DWARF: no .debug_info section", "812 names
  // from dynsym".
  std::vector<std::string> notes;
};

// A part that cannot be read is a note, as long as another one tells something. kInvalidArgument
// when no file is one, or when the debug file is of another build; kNotFound when nothing at all is
// known; kResourceExhausted when a limit is reached.
absl::StatusOr<BuiltTable> BuildTable(const TableInput& input, const BuildLimits& limits = {});

}  // namespace flarestack::symbol
