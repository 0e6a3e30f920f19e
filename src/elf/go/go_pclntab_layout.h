// SPDX-License-Identifier: Apache-2.0
//
// The layout of Go's function table (pclntab), which changed four times:
//
//   magic       Go          entries of functab          names, files, pc-values
//   0xfffffffb  1.2 - 1.15  two pointers                anywhere in the table
//   0xfffffffa  1.16, 1.17  two pointers                separate parts; files through units
//   0xfffffff0  1.18, 1.19  two u32, from textStart     same
//   0xfffffff1  1.20 -      same, and start lines       same; from 1.26 on textStart is 0
//
// Only 64-bit little-endian tables are supported. Views point into the bytes of the table.
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
  uint8_t quantum = 1;  // unit of addresses in pc-value tables: the smallest instruction size
  uint64_t function_count = 0;
  std::string_view bytes;  // the whole table
  // Offsets of the parts from the start of the table.
  uint64_t names_offset = 0;
  uint64_t units_offset = 0;  // from 1.16 on
  uint64_t files_offset = 0;
  uint64_t pc_values_offset = 0;
  uint64_t functions_offset = 0;  // base of the offsets in functab
  uint64_t functab_offset = 0;

  bool has_relative_entries() const { return version >= GoTableVersion::kGo118; }
};

// Offset of textStart in the header, from 1.18 on.
inline constexpr uint64_t kGoTextStartOffset = 8 + 2 * 8;

enum GoFunctionFlag : uint8_t {
  kGoTopFrame = 1,     // the outermost of its stack
  kGoStackSwitch = 2,  // changes the stack pointer in ways that stack_values do not describe
};

// The record of one function.
struct GoFunction {
  uint32_t name_offset = 0;
  uint32_t stack_values = 0;  // offsets of pc-value tables; 0 means none
  uint32_t file_values = 0;
  uint32_t line_values = 0;
  uint32_t inline_values = 0;
  uint32_t unit_offset = 0;
  uint32_t start_line = 0;
  uint8_t flags = 0;  // GoFunctionFlag, from 1.17 on
  // Offset in the table of its reference to the inline tree; nullopt if it has none.
  std::optional<uint64_t> inline_tree_slot;
};

// True if the bytes start like such a table. Cheap enough for a search.
bool LooksLikeGoTable(std::string_view bytes);

// Returns kInvalidArgument if a part lies outside the table, kUnimplemented for another byte order
// or pointer size, and kResourceExhausted for more functions than allowed.
absl::StatusOr<GoTable> ReadGoTable(std::string_view bytes, const GoLimits& limits);

// Reads the record at an offset from functab.
absl::StatusOr<GoFunction> ReadGoFunction(const GoTable& table, uint64_t offset);

// Reads a NUL-terminated string; empty if there is none. At most 64 KiB, to bound the search for
// the NUL.
std::string_view GoName(const GoTable& table, uint32_t name_offset);
// Returns the file that a pc-value table refers to as `value`.
std::string_view GoFile(const GoTable& table, uint32_t unit_offset, int64_t value);

}  // namespace flarestack::elf
