// SPDX-License-Identifier: Apache-2.0
#include "elf/dwarf/line_table.h"

#include <algorithm>
#include <limits>

#include "base/status.h"

namespace flarestack::elf {
namespace {

// Opcodes of line programs (DWARF 5, 6.2.5.2 and 6.2.5.3).
enum Standard : uint8_t {
  kCopy = 1,
  kAdvancePc = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kSetColumn = 5,
  kConstAddPc = 8,
  kFixedAdvancePc = 9,
};
enum Extended : uint8_t { kEndSequence = 1, kSetAddress = 2 };

uint32_t Clamped(uint64_t number) {
  return static_cast<uint32_t>(std::min<uint64_t>(number, std::numeric_limits<uint32_t>::max()));
}

// Reads an address of the size of the instruction's operand: 4 or 8 bytes.
uint64_t AddressOf(std::string_view bytes) {
  uint64_t address = 0;
  for (size_t i = std::min(bytes.size(), sizeof(address)); i-- > 0;)
    address = address << 8 | static_cast<uint8_t>(bytes[i]);
  return address;
}

}  // namespace

struct LineTable::Registers {
  uint64_t address = 0;
  uint64_t file = 1;
  uint32_t line = 1;
  uint64_t column = 0;
  bool sequence_began = false;
  bool ended = false;
};

void LineTable::Clear() {
  rows_.clear();
  files_.clear();
  directories_.clear();
  sequence_begins_.clear();
  path_bytes_ = 0;
  rows_read_ = 0;
  header_ = {};
}

absl::Status LineTable::Read(const LineSections& sections, const Unit& unit,
                             const LineLimits& limits, IsCode is_code) {
  Clear();
  limits_ = limits;
  unit_directory_ = unit.directory;
  header_.address_bytes = unit.address_bytes;
  if (unit.offset >= sections.debug_line.size()) {
    return absl::InvalidArgumentError(base::StrCat("line program at ", unit.offset,
                                                   " but .debug_line has ",
                                                   sections.debug_line.size(), " bytes"));
  }
  ByteCursor in(sections.debug_line.substr(static_cast<size_t>(unit.offset)));
  absl::Status status = ReadHeader(in, sections);
  if (status.ok())
    status = Run(is_code);
  SortSequences();
  return base::WithContext(base::StrCat("line program at ", base::Hex(unit.offset)), status);
}

// Runs to the end of the bytes or to the row limit.
absl::Status LineTable::Run(IsCode is_code) {
  ByteCursor in(header_.program);
  Registers registers;
  while (!in.AtEnd()) {
    const uint8_t opcode = in.U8();
    bool row = opcode == kCopy;
    if (opcode >= header_.opcode_base) {
      const auto step = static_cast<uint8_t>(opcode - header_.opcode_base);
      registers.address += uint64_t{header_.instruction_bytes_min} * (step / header_.line_range);
      registers.line += static_cast<uint32_t>(header_.line_base + step % header_.line_range);
      row = true;
    } else if (opcode == 0) {
      RunExtended(in, &registers);
      row = registers.ended;
    } else {
      RunStandard(opcode, in, &registers);
    }
    if (!in.ok())
      return absl::InvalidArgumentError("the program ends in the middle of an instruction");
    if (!row)
      continue;
    if (++rows_read_ > limits_.rows_max)
      return absl::ResourceExhaustedError(base::StrCat("more than ", limits_.rows_max, " rows"));
    if (!registers.sequence_began) {
      registers.sequence_began = true;
      in_code_ = is_code(registers.address);
      if (in_code_)
        sequence_begins_.push_back(rows_.size());
    }
    if (in_code_)
      EmitRow(registers);
    if (registers.ended)
      registers = {};
  }
  return absl::OkStatus();
}

// Addresses of a sequence ascend. Rows that go back are dropped.
void LineTable::EmitRow(const Registers& registers) {
  const bool first = rows_.size() == sequence_begins_.back();
  if (!first && rows_.back().address > registers.address && !registers.ended)
    return;
  LineRow row = {.address = registers.address,
                 .file = Clamped(registers.file),
                 .line = registers.line,
                 .column = Clamped(registers.column),
                 .end = registers.ended};
  if (!first)
    row.address = std::max(row.address, rows_.back().address);
  // Of several rows at one address, the last one wins.
  if (!first && rows_.back().address == row.address && !row.end) {
    rows_.back() = row;
    return;
  }
  rows_.push_back(row);
}

void LineTable::RunExtended(ByteCursor& in, Registers* registers) {
  const uint64_t length = in.Uleb();
  ByteCursor operation(in.Take(length));
  if (length == 0)
    return;
  switch (operation.U8()) {
    case kEndSequence:
      registers->ended = true;
      break;
    case kSetAddress:
      registers->address = AddressOf(operation.rest());
      break;
    default:
      break;
  }
}

void LineTable::RunStandard(uint8_t opcode, ByteCursor& in, Registers* registers) {
  const uint64_t unit = header_.instruction_bytes_min;
  switch (opcode) {
    case kCopy:
      break;
    case kAdvancePc:
      registers->address += unit * in.Uleb();
      break;
    case kAdvanceLine:
      registers->line += static_cast<uint32_t>(in.Sleb());
      break;
    case kSetFile:
      registers->file = in.Uleb();
      break;
    case kSetColumn:
      registers->column = in.Uleb();
      break;
    case kConstAddPc:
      registers->address += unit * ((255u - header_.opcode_base) / header_.line_range);
      break;
    case kFixedAdvancePc:
      registers->address += in.U16();
      break;
    default:
      // The header gives the number of operands, so unused instructions can be skipped.
      for (int i = 0; i < static_cast<uint8_t>(header_.opcode_lengths[opcode - 1u]); ++i)
        in.Uleb();
      break;
  }
}

// Compilers write the sequences of functions in separate sections in any order.
void LineTable::SortSequences() {
  if (!rows_.empty() && !rows_.back().end) {
    LineRow end = rows_.back();
    end.end = true;
    rows_.push_back(end);
  }
  const auto starts_later = [this](uint64_t a, uint64_t b) {
    return rows_[a].address < rows_[b].address;
  };
  if (!std::ranges::is_sorted(sequence_begins_, starts_later)) {
    std::ranges::stable_sort(sequence_begins_, starts_later);
    sorted_.clear();
    for (const uint64_t begin : sequence_begins_) {
      for (uint64_t i = begin; i < rows_.size(); ++i) {
        sorted_.push_back(rows_[i]);
        if (rows_[i].end)
          break;
      }
    }
    rows_.swap(sorted_);
  }
  // Overlapping sequences, which no compiler writes, must not make addresses go back.
  uint64_t highest = 0;
  for (LineRow& row : rows_) {
    highest = std::max(highest, row.address);
    row.address = highest;
  }
}

std::string_view LineTable::File(uint64_t index) {
  // Before version 5, file numbers start at 1, and 0 means none.
  const uint64_t base = header_.version >= 5 ? 0 : 1;
  if (index < base || index - base >= files_.size())
    return {};
  FileEntry& file = files_[index - base];
  if (file.has_path)
    return file.path;
  file.has_path = true;
  const bool unit_only = header_.version < 5 && file.directory == 0;
  const uint64_t directory_index = file.directory - (header_.version >= 5 ? 0 : 1);
  std::string_view directory;
  if (!unit_only && directory_index < directories_.size())
    directory = directories_[directory_index];
  const auto append = [&file](std::string_view part) {
    if (part.empty())
      return;
    if (!file.path.empty() && file.path.back() != '/')
      file.path += '/';
    file.path += part;
  };
  if (!file.name.starts_with('/')) {
    // In version 5, directory 0 is that of the unit itself.
    const bool is_unit = header_.version >= 5 && file.directory == 0;
    if (!directory.starts_with('/') && !is_unit)
      append(unit_directory_);
    append(directory);
  }
  append(file.name);
  path_bytes_ += file.path.size();
  if (path_bytes_ > limits_.path_bytes_max)
    file.path.clear();
  return file.path;
}

}  // namespace flarestack::elf
