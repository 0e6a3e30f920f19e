// SPDX-License-Identifier: Apache-2.0
//
// Code ranges and symbol tables as text, for tests:
//
//   110 120  step walk.h:9:1 < main main.c:6:2
//
// Addresses are hexadecimal. "?" is an empty name; a column of 0 is omitted.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "elf/code_range.h"
#include "symbol/table/symbol_table.h"
#include "symbol/table/table_writer.h"

namespace flarestack::symbol::testing {

void AddText(std::string_view ranges, Quality quality, TableWriter* writer);

std::string FrameText(std::span<const elf::SourceFrame> frames);

// One line per range, with its quality.
std::string TableText(const SymbolTable& table);

}  // namespace flarestack::symbol::testing
