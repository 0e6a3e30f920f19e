// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/python/python_lines.h"

#include "elf/byte_cursor.h"

namespace flarestack::record::runtime {
namespace {

constexpr int64_t kLineMax = INT32_MAX;

PythonPosition At(int64_t line, int64_t column = 0) {
  if (line <= 0 || line > kLineMax)
    return {};
  return {.line = line, .column = column};
}

// Pairs {distance in bytes, distance in lines}: each is a step to the next place.
PythonPosition FindInSteps(std::string_view table, int64_t line, uint32_t instruction) {
  uint64_t at = 0;
  elf::ByteCursor in(table.substr(0, table.size() & ~size_t{1}));
  while (!in.AtEnd()) {
    at += in.U8();
    const auto lines = in.Number<int8_t>();
    if (at > instruction)
      break;
    line += lines;
  }
  return At(line);
}

// Pairs {length in bytes, distance in lines}: each is a range.
PythonPosition FindInRanges(std::string_view table, int64_t line, uint32_t instruction) {
  constexpr int8_t kNoLine = -128;
  uint64_t end = 0;
  elf::ByteCursor in(table.substr(0, table.size() & ~size_t{1}));
  while (!in.AtEnd()) {
    end += in.U8();
    const auto lines = in.Number<int8_t>();
    if (lines != kNoLine)
      line += lines;
    if (instruction < end)
      return lines == kNoLine ? PythonPosition() : At(line);
  }
  return {};
}

// Groups of six bits, the lowest first.
uint64_t TakeNumber(elf::ByteCursor* in) {
  constexpr unsigned kBitsMax = 60;
  uint64_t value = 0;
  for (unsigned shift = 0; shift < kBitsMax; shift += 6) {
    const uint8_t byte = in->U8();
    value |= uint64_t{byte & 0x3fu} << shift;
    if ((byte & 0x40) == 0)
      break;
  }
  return value;
}

// The lowest bit is the sign.
int64_t TakeSigned(elf::ByteCursor* in) {
  const uint64_t value = TakeNumber(in);
  const auto magnitude = static_cast<int64_t>(value >> 1);
  return (value & 1) != 0 ? -magnitude : magnitude;
}

// Entries of different lengths; the first byte of each has bit 7 set. It has the kind in bits 6..3
// and the number of code units, less one, in bits 2..0.
PythonPosition FindInEntries(std::string_view table, int64_t line, uint32_t instruction) {
  enum Kind : uint8_t { kLine0 = 10, kLine2 = 12, kNoColumns = 13, kLong = 14, kNone = 15 };
  uint64_t end = 0;
  elf::ByteCursor in(table);
  while (in.ok() && !in.AtEnd()) {
    const uint8_t head = in.U8();
    const uint8_t kind = head >> 3 & 15;
    end += 2 * (uint64_t{head & 7u} + 1);
    int64_t column = 0;
    if (kind < kLine0) {
      column = kind * 8 + (in.U8() >> 4 & 7) + 1;
    } else if (kind <= kLine2) {
      line += kind - kLine0;
      column = in.U8() + 1;
      in.U8();  // the column where it ends
    } else if (kind == kNoColumns) {
      line += TakeSigned(&in);
    } else if (kind == kLong) {
      line += TakeSigned(&in);
      TakeNumber(&in);  // the line where it ends
      column = static_cast<int64_t>(TakeNumber(&in));
      TakeNumber(&in);
    }
    if (!in.ok() || line < -kLineMax || line > kLineMax)
      return {};
    if (instruction < end)
      return kind == kNone ? PythonPosition() : At(line, column <= kLineMax ? column : 0);
  }
  return {};
}

}  // namespace

PythonPosition FindPythonPosition(int minor, std::string_view table, int64_t first_line,
                                  uint32_t instruction) {
  if (minor < 10)
    return FindInSteps(table, first_line, instruction);
  if (minor == 10)
    return FindInRanges(table, first_line, instruction);
  return FindInEntries(table, first_line, instruction);
}

}  // namespace flarestack::record::runtime
