// SPDX-License-Identifier: Apache-2.0
//
// Where things stand in Go's function table (pclntab), which changed four times:
//
//   magic       Go          entries of functab          names, files, pc-values
//   0xfffffffb  1.2 - 1.15  two pointers                anywhere in the table
//   0xfffffffa  1.16, 1.17  two pointers                parts of their own; files through units
//   0xfffffff0  1.18, 1.19  two u32, from textStart     same
//   0xfffffff1  1.20 -      same, and start lines       same; from 1.26 on textStart is 0
//
// Only 64-bit little-endian tables are read. Views point into the bytes of the table.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "elf/go/go_limits.h"

namespace flarestack::elf {

enum class GoTableVersion { kGo12, kGo116, kGo118, kGo120 };

struct GoTable {
  GoTableVersion version = GoTableVersion::kGo12;
  uint8_t quantum = 1;  // of addresses in pc-value tables: the size of the smallest instruction
  uint64_t function_count = 0;
  std::string_view bytes;  // all of the table
  // Offsets of the parts from the start of the table.
  uint64_t names_offset = 0;
  uint64_t units_offset = 0;  // 1.16 on
  uint64_t files_offset = 0;
  uint64_t pc_values_offset = 0;
  uint64_t functions_offset = 0;  // functab, and what its entries count from
  uint64_t functab_offset = 0;

  bool has_relative_entries() const { return version >= GoTableVersion::kGo118; }
};

// Where textStart stands in the header of 1.18 and later.
inline constexpr uint64_t kGoTextStartOffset = 8 + 2 * 8;

enum GoFunctionFlag : uint8_t {
  kGoTopFrame = 1,     // the outermost of its stack
  kGoStackSwitch = 2,  // writes the stack pointer in ways that stack_values do not tell
};

// One record of a function.
struct GoFunction {
  uint32_t name_offset = 0;
  uint32_t stack_values = 0;  // offsets of pc-value tables; 0 is none
  uint32_t file_values = 0;
  uint32_t line_values = 0;
  uint32_t inline_values = 0;
  uint32_t unit_offset = 0;
  uint32_t start_line = 0;
  uint8_t flags = 0;  // GoFunctionFlag, from 1.17 on
  // Where its reference to the inline tree stands in the table; nothing when it has none.
  std::optional<uint64_t> inline_tree_slot;
};

// Whether the bytes begin as such a table does; cheap, to search for one.
bool LooksLikeGoTable(std::string_view bytes);

// kInvalidArgument where a part lies outside of the table, kUnimplemented for another byte order or
// pointer size, kResourceExhausted for more functions than allowed.
absl::StatusOr<GoTable> ReadGoTable(std::string_view bytes, const GoLimits& limits);

// The record at an offset that functab gave.
absl::StatusOr<GoFunction> ReadGoFunction(const GoTable& table, uint64_t offset);

// Texts up to their NUL; empty where there is none. At most 64 KiB, to bound the search for the
// NUL.
std::string_view GoName(const GoTable& table, uint32_t name_offset);
// The file that a pc-value table names by `value`.
std::string_view GoFile(const GoTable& table, uint32_t unit_offset, int64_t value);

}  // namespace flarestack::elf
