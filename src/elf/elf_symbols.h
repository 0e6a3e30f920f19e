// SPDX-License-Identifier: Apache-2.0
//
// The functions named by .symtab and .dynsym, as ranges that do not overlap.
//
// - Includes functions and indirect functions defined in the file. Untyped labels count only in
//   code that no function covers: hand-written assembly often has nothing else.
// - A symbol without a size extends to the next symbol, the end of its section, or the end of the
//   enclosing function.
// - Of several names for the same code, global wins over weak, weak over local, then the shorter
//   name, then alphabetical order.
// - Of nested functions the innermost wins, so one name may have several ranges.
// - Mapping symbols ($x, $d) and compiler labels (.L) are dropped, versions ("@@GLIBC_2.34") cut.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "elf/code_range.h"
#include "elf/elf_file.h"

namespace flarestack::elf {

struct ElfSymbol {
  uint64_t begin = 0;
  uint64_t end = 0;       // exclusive; inside the executable section that contains `begin`
  std::string_view name;  // as in the symbol table, possibly mangled; valid as long as the file

  friend bool operator==(const ElfSymbol&, const ElfSymbol&) = default;
};

struct SymbolLimits {
  // Entries of all tables together. The largest known programs have about five million.
  uint64_t symbols_max = uint64_t{1} << 24;
};

// Sorted by address. The second form merges the symbols of files that describe the same code: a
// stripped program, and the file that mini_debug_info.h found in it. Returns an empty list if there
// are no symbols, kUnimplemented for relocatable files, which have no addresses, and
// kResourceExhausted if there are too many symbols, or names that overlap so much that reading them
// would take forever.
absl::StatusOr<std::vector<ElfSymbol>> ReadFunctionSymbols(const ElfFile& file,
                                                           const SymbolLimits& limits = {});
absl::StatusOr<std::vector<ElfSymbol>> ReadFunctionSymbols(std::span<const ElfFile* const> files,
                                                           const SymbolLimits& limits = {});

// Returns the symbol that contains the address, or null.
const ElfSymbol* FindSymbol(std::span<const ElfSymbol> symbols, uint64_t address);

// Visits the same symbols as ranges of one frame each, without file and line.
absl::Status VisitSymbols(const ElfFile& file, CodeRangeVisitor visit);

}  // namespace flarestack::elf
