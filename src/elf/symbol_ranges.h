// SPDX-License-Identifier: Apache-2.0
//
// Turns the entries of a symbol table into ranges that do not overlap. Handles sizes that are zero
// or too large, several names for one function, and nested functions. elf_symbols.h has the rules.
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
  bool is_label = false;  // not typed as a function
};

struct AddressRange {
  uint64_t begin = 0;
  uint64_t end = 0;  // excluded
};

// Sorts ranges and merges those that overlap. Ranges that only touch stay separate.
void JoinOverlapping(std::vector<AddressRange>* ranges);

// `code` must be a result of JoinOverlapping. Symbols that begin outside it are dropped, and no
// range extends beyond the part in which it begins. The result is sorted.
std::vector<ElfSymbol> MakeSymbolRanges(std::vector<RawSymbol> symbols,
                                        const std::vector<AddressRange>& code);

}  // namespace flarestack::elf
