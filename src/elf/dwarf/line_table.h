// SPDX-License-Identifier: Apache-2.0
//
// The line program of one unit, DWARF 2 to 5: maps addresses to file, line and column.
//
// We read it ourselves instead of using libdw for three reasons: bytes are checked, a program that
// would run forever is stopped, and rows of finished units do not stay in memory. A LineTable is
// reused for one unit after another and keeps its allocations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "elf/byte_cursor.h"

namespace flarestack::elf {

// The sections that contain line programs and their strings; empty if a file has none.
struct LineSections {
  std::string_view debug_line;
  std::string_view debug_line_str;
  std::string_view debug_str;
};

struct LineLimits {
  uint64_t rows_max = 50'000'000;
  uint64_t files_max = 1'000'000;
  uint64_t path_bytes_max = 256 << 20;  // of all paths in one unit
};

// Applies from `address` to that of the next row. With `end`, the row only marks where code ends.
struct LineRow {
  uint64_t address = 0;
  uint32_t file = 0;
  uint32_t line = 0;
  uint32_t column = 0;
  bool end = false;
};

class LineTable {
 public:
  // True if there can be code at an address. Linkers leave behind the lines of discarded functions,
  // at address 0 or at the very end of the address space.
  using IsCode = absl::FunctionRef<bool(uint64_t address)>;

  struct Unit {
    uint64_t offset = 0;         // of the program in .debug_line
    std::string_view directory;  // DW_AT_comp_dir
    uint8_t address_bytes = 8;
  };

  // Replaces the contents of the table. Rows before the error in a corrupt program are kept.
  absl::Status Read(const LineSections& sections, const Unit& unit, const LineLimits& limits,
                    IsCode is_code);
  void Clear();

  // Ascending; one sequence after another, each with an end.
  const std::vector<LineRow>& rows() const { return rows_; }

  // Rows that the program produced, including those that were dropped.
  uint64_t rows_read() const { return rows_read_; }

  // Returns an absolute path if the unit gives its directory. The view is valid until the next
  // Read. Empty for a file that is not in the table.
  std::string_view File(uint64_t index);

 private:
  struct FileEntry {
    std::string_view name;
    uint64_t directory = 0;
    bool has_path = false;
    std::string path;
  };
  struct Header {
    uint16_t version = 0;
    uint8_t offset_bytes = 4;
    uint8_t address_bytes = 8;
    uint8_t instruction_bytes_min = 1;
    int8_t line_base = 0;
    uint8_t line_range = 1;
    uint8_t opcode_base = 1;
    std::string_view opcode_lengths;
    std::string_view program;
  };
  struct Registers;

  absl::Status ReadHeader(ByteCursor& in, const LineSections& sections);
  absl::Status ReadOldNames(ByteCursor& in);
  absl::Status ReadNames(ByteCursor& in, const LineSections& sections, bool directories);
  absl::Status Run(IsCode is_code);
  void RunExtended(ByteCursor& in, Registers* registers);
  void RunStandard(uint8_t opcode, ByteCursor& in, Registers* registers);
  void EmitRow(const Registers& registers);
  void SortSequences();

  Header header_;
  LineLimits limits_;
  std::string_view unit_directory_;
  std::vector<std::string_view> directories_;
  std::vector<FileEntry> files_;
  uint64_t path_bytes_ = 0;
  uint64_t rows_read_ = 0;
  std::vector<LineRow> rows_;
  std::vector<LineRow> sorted_;
  std::vector<uint64_t> sequence_begins_;  // positions in rows_
  bool in_code_ = false;                   // of the current sequence
};

}  // namespace flarestack::elf
