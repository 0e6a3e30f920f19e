// SPDX-License-Identifier: Apache-2.0
//
// Makes ranges that do not overlap out of what a symbol table says: sizes that are zero or too
// large, several names for one function, functions inside of functions. elf_symbols.h has the
// rules.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "elf/elf_symbols.h"

namespace flarestack::elf {

enum class SymbolRank : uint8_t { kGlobal, kWeak, kLocal };  // better ones first

struct RawSymbol {
  uint64_t begin = 0;
  uint64_t size_bytes = 0;  // 0 when unknown
  std::string_view name;
  SymbolRank rank = SymbolRank::kGlobal;
  bool is_label = false;  // not said to be a function
};

struct AddressRange {
  uint64_t begin = 0;
  uint64_t end = 0;  // excluded
};

// Sorts ranges and joins those that overlap. Neighbours that only touch stay apart.
void JoinOverlapping(std::vector<AddressRange>* ranges);

// `code` must be what JoinOverlapping gives. Symbols that begin outside of it are left out, and no
// range reaches beyond the part of it in which it begins. The result is sorted.
std::vector<ElfSymbol> MakeSymbolRanges(std::vector<RawSymbol> symbols,
                                        const std::vector<AddressRange>& code);

}  // namespace flarestack::elf
