// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/python/python_lines.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "base/text/text.h"

namespace flarestack::record::runtime {
namespace {

using namespace std::string_view_literals;

// From this offset on.
struct PositionChange {
  uint32_t offset;
  int64_t line;
  int64_t column;
};

struct CompiledFunction {
  int minor;
  std::string_view table;
  uint32_t end;
  std::vector<PositionChange> positions;
};

// The tables that each version makes of the same function, and the positions that it reports itself
// (dis.findlinestarts, co_lines, co_positions). The function has lines that go back, a statement
// over several lines, and 300 empty lines:
//
//   def price(items, rate):
//       total = sum(item.cost
//                   for item in items)
//       try:
//           total += rate(
//               total)
//       finally:
//           del items
//       ...
//       if not total: return None
//       return (total,
//
//               rate)
const CompiledFunction kFunctions[] = {
    {.minor = 8,
     .table = "\x00\x01\x08\x01\x02\xff\x08\x02\x02\x01\x04\x01\x02\xff\x0a\x03\x04\x7f\x00\x7f"
              "\x00\x2f\x04\x00\x04\x01\x02\x02\x02\xfe"sv,
     .end = 56,
     .positions = {{0, 2, 0},
                   {8, 3, 0},
                   {10, 2, 0},
                   {18, 4, 0},
                   {20, 5, 0},
                   {24, 6, 0},
                   {26, 5, 0},
                   {36, 8, 0},
                   {40, 309, 0},
                   {48, 310, 0},
                   {50, 312, 0},
                   {52, 310, 0}}},
    {.minor = 9,
     .table = "\x00\x01\x08\x01\x02\xff\x08\x02\x02\x01\x04\x01\x02\xff\x08\x03\x08\x7f\x00\x7f"
              "\x00\x2f\x08\x01\x02\x02\x02\xfe"sv,
     .end = 58,
     .positions = {{0, 2, 0},
                   {8, 3, 0},
                   {10, 2, 0},
                   {18, 4, 0},
                   {20, 5, 0},
                   {24, 6, 0},
                   {26, 5, 0},
                   {34, 8, 0},
                   {42, 309, 0},
                   {50, 310, 0},
                   {52, 312, 0},
                   {54, 310, 0}}},
    {.minor = 10,
     .table = "\x08\x01\x02\x01\x08\xff\x02\x02\x04\x01\x02\x01\x08\xff\x08\x03\x00\x7f\x00\x7f"
              "\x08\x2f\x02\x01\x02\x02\x04\xfe"sv,
     .end = 58,
     .positions = {{0, 2, 0},
                   {8, 3, 0},
                   {10, 2, 0},
                   {18, 4, 0},
                   {20, 5, 0},
                   {24, 6, 0},
                   {26, 5, 0},
                   {34, 8, 0},
                   {42, 309, 0},
                   {50, 310, 0},
                   {52, 312, 0},
                   {54, 310, 0}}},
    {.minor = 11,
     .table = "\x80\x00\xdd\x0c\x0f\xf0\x00\x01\x10\x23\xf0\x00\x01\x10\x23\xd8\x1c\x21\xf0\x03"
              "\x01\x10\x23\xf1\x00\x01\x10\x23\xf4\x00\x01\x10\x23\xf1\x00\x01\x0d\x23\xf4\x00"
              "\x01\x0d\x23\x80\x45\xf0\x04\x04\x05\x12\xd8\x08\x0d\x90\x14\x90\x14\xd8\x0c\x11"
              "\xf1\x03\x01\x12\x13\xf4\x00\x01\x12\x13\xf1\x00\x01\x09\x13\x88\x05\xf0\x06\x00"
              "\x0d\x12\x88\x45\xf8\x88\x45\x88\x09\x88\x09\x88\x09\x88\x09\xf0\x5a\x09\x00\x0c"
              "\x11\xd0\x04\x1d\x98\x14\x98\x14\xd8\x0c\x11\xe0\x0c\x10\xf0\x05\x02\x0c\x12\xf0"
              "\x00\x02\x05\x12"sv,
     .end = 114,
     .positions = {{0, 1, 1},      {2, 2, 13},     {14, 2, 16},    {18, 3, 29},   {20, 2, 16},
                   {36, 2, 13},    {50, 2, 5},     {52, 4, 5},     {54, 5, 9},    {56, 5, 18},
                   {60, 6, 13},    {62, 5, 18},    {76, 5, 9},     {82, 8, 13},   {86, 0, 0},
                   {88, 8, 13},    {90, 8, 9},     {98, 309, 12},  {100, 309, 5}, {102, 309, 26},
                   {106, 310, 13}, {108, 312, 13}, {110, 310, 12}, {112, 310, 5}}},
    {.minor = 12,
     .table = "\x80\x00\xdc\x0c\x0f\xf1\x00\x01\x10\x23\xd8\x1c\x21\xf4\x03\x01\x10\x23\xf3\x00"
              "\x01\x0d\x23\x80\x45\xf0\x04\x04\x05\x12\xd8\x08\x0d\x91\x14\xd8\x0c\x11\xf3\x03"
              "\x01\x12\x13\xf1\x00\x01\x09\x13\x88\x05\xf0\x06\x00\x0d\x12\xf1\x5a\x09\x00\x0c"
              "\x11\x98\x14\xd8\x0c\x11\xe0\x0c\x10\xf0\x05\x02\x0c\x12\xf0\x00\x02\x05\x12\xf8"
              "\xf1\x5d\x09\x00\x0d\x12\xfa"sv,
     .end = 90,
     .positions = {{0, 1, 1},     {2, 2, 13},    {12, 2, 16},   {16, 3, 29},   {18, 2, 16},
                   {28, 2, 13},   {36, 2, 5},    {38, 4, 5},    {40, 5, 9},    {42, 5, 18},
                   {46, 6, 13},   {48, 5, 18},   {56, 5, 9},    {62, 8, 13},   {64, 309, 12},
                   {68, 309, 26}, {70, 310, 13}, {72, 312, 13}, {74, 310, 12}, {76, 310, 5},
                   {78, 0, 0},    {80, 8, 13},   {84, 0, 0}}},
    {.minor = 13,
     .table = "\x80\x00\xdc\x0c\x0f\xf1\x00\x01\x10\x23\xd9\x1c\x21\xf3\x03\x01\x10\x23\xf3\x00"
              "\x01\x0d\x23\x80\x45\xf0\x04\x04\x05\x12\xd8\x08\x0d\x90\x14\xd8\x0c\x11\xf3\x03"
              "\x01\x12\x13\xf1\x00\x01\x09\x13\x88\x05\xf0\x06\x00\x0d\x12\xf6\x5a\x09\x00\x0c"
              "\x11\x98\x14\xd8\x0c\x11\xe0\x0c\x10\xf0\x05\x02\x0c\x12\xf0\x00\x02\x05\x12\xf8"
              "\xf1\x5d\x09\x00\x0d\x12\xfa"sv,
     .end = 98,
     .positions = {{0, 1, 1},     {2, 2, 13},    {12, 2, 16},   {16, 3, 29},   {20, 2, 16},
                   {28, 2, 13},   {36, 2, 5},    {38, 4, 5},    {40, 5, 9},    {42, 5, 18},
                   {44, 6, 13},   {46, 5, 18},   {54, 5, 9},    {60, 8, 13},   {62, 309, 12},
                   {76, 309, 26}, {78, 310, 13}, {80, 312, 13}, {82, 310, 12}, {84, 310, 5},
                   {86, 0, 0},    {88, 8, 13},   {92, 0, 0}}},
};

TEST(PythonLinesTest, AgreesWithEachVersion) {
  for (const CompiledFunction& function : kFunctions) {
    ASSERT_FALSE(function.positions.empty());
    size_t change = 0;
    for (uint32_t offset = 0; offset < function.end; offset += 2) {
      while (change + 1 < function.positions.size() &&
             function.positions[change + 1].offset <= offset)
        ++change;
      const PositionChange& expected = function.positions[change];
      const PythonPosition found =
          FindPythonPosition(function.minor, function.table, /*first_line=*/1, offset);
      EXPECT_EQ(found, (PythonPosition{.line = expected.line, .column = expected.column}))
          << "3." << function.minor << " offset " << offset << ": " << found.line << ":"
          << found.column << ", not " << expected.line << ":" << expected.column;
    }
  }
}

TEST(PythonLinesTest, OffsetsBeyondTheTableHaveNoLine) {
  for (const CompiledFunction& function : kFunctions) {
    if (function.minor < 10)
      continue;  // the last step applies to all of the rest
    EXPECT_EQ(FindPythonPosition(function.minor, function.table, 1, function.end + 2),
              PythonPosition());
  }
}

TEST(PythonLinesTest, TruncatedTablesAreHarmless) {
  for (const CompiledFunction& function : kFunctions) {
    for (size_t size = 0; size < function.table.size(); ++size) {
      const PythonPosition found =
          FindPythonPosition(function.minor, function.table.substr(0, size), 1, function.end - 2);
      EXPECT_GE(found.line, 0);
    }
  }
}

}  // namespace
}  // namespace flarestack::record::runtime
