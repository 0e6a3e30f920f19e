// SPDX-License-Identifier: Apache-2.0
//
// The functions named by .symtab and .dynsym, as ranges that do not overlap.
//
// - Functions and indirect functions that are defined here. Labels without a type count where they
//   stand in code that no function covers: hand-written assembly often has nothing else.
// - A symbol without a size reaches to the next one or to the end of its section or of the function
//   around it.
// - Of several names for the same code, a global one wins over a weak over a local one, then the
//   shorter, then the first in the alphabet.
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
  uint64_t end = 0;       // excluded; inside of the executable section that holds `begin`
  std::string_view name;  // as the linker has it, so possibly mangled; lives as long as the file

  friend bool operator==(const ElfSymbol&, const ElfSymbol&) = default;
};

struct SymbolLimits {
  // Entries of all tables together. The largest programs known have some five million.
  uint64_t symbols_max = uint64_t{1} << 24;
};

// Sorted by address. The second form joins the symbols of files that describe the same code: a
// stripped program, and what mini_debug_info.h found in it. No symbols are an empty list.
// kUnimplemented for relocatable files, which have no addresses; kResourceExhausted when there are
// too many symbols, or names that overlap so much that reading them would take for ever.
absl::StatusOr<std::vector<ElfSymbol>> ReadFunctionSymbols(const ElfFile& file,
                                                           const SymbolLimits& limits = {});
absl::StatusOr<std::vector<ElfSymbol>> ReadFunctionSymbols(std::span<const ElfFile* const> files,
                                                           const SymbolLimits& limits = {});

// The one that holds the address, or null.
const ElfSymbol* FindSymbol(std::span<const ElfSymbol> symbols, uint64_t address);

// The same as ranges of one frame each, with neither file nor line.
absl::Status VisitSymbols(const ElfFile& file, CodeRangeVisitor visit);

}  // namespace flarestack::elf
