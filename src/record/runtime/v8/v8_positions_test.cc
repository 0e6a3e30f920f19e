// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/v8/v8_positions.h"

#include <gtest/gtest.h>

#include <string>

#include "record/runtime/v8/v8_layout.h"
#include "record/runtime/v8/v8_script.h"

namespace flarestack::record::runtime {
namespace {

void AppendNumber(uint64_t value, std::string* out) {
  for (; value > 127; value >>= 7)
    out->push_back(static_cast<char>(value | 128));
  out->push_back(static_cast<char>(value));
}

void AppendSigned(int64_t value, std::string* out) {
  AppendNumber((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63), out);
}

uint64_t Raw(uint64_t script_offset, uint64_t inlining_plus_one = 0) {
  return (script_offset + 1) << 1 | inlining_plus_one << 31;
}

std::optional<V8Position> FindSigned(std::string_view table, uint64_t offset) {
  return FindV8Position(table, offset, V8PositionFormat::kSigned);
}

TEST(V8PositionsTest, FindsTheLastEntryAtOrBeforeAnOffset) {
  std::string table;
  AppendSigned(5, &table);  // a statement at 4: offsets count from -1
  AppendSigned(static_cast<int64_t>(Raw(100)), &table);
  AppendSigned(-(300 + 1), &table);  // an expression
  AppendSigned(static_cast<int64_t>(Raw(20, 3) - Raw(100)), &table);
  EXPECT_EQ(FindSigned(table, 3), std::nullopt);
  EXPECT_EQ(FindSigned(table, 4), (V8Position{.script_offset = 100}));
  EXPECT_EQ(FindSigned(table, 303), (V8Position{.script_offset = 100}));
  EXPECT_EQ(FindSigned(table, 304), (V8Position{.script_offset = 20, .inlining = 2}));
  // A table that is cut off says what is left of it.
  EXPECT_EQ(FindSigned(table.substr(0, table.size() - 1), 304), (V8Position{.script_offset = 100}));
  EXPECT_EQ(FindSigned("", 0), std::nullopt);
}

TEST(V8PositionsTest, FlagsOfAnEntryAreNotPartOfItsDistance) {
  std::string table;
  AppendNumber(5 << 2 | 3, &table);
  AppendSigned(static_cast<int64_t>(Raw(100)), &table);
  AppendNumber(300 << 2 | 1, &table);
  AppendSigned(static_cast<int64_t>(Raw(20)) - static_cast<int64_t>(Raw(100)), &table);
  const auto find = [&table](uint64_t offset) {
    return FindV8Position(table, offset, V8PositionFormat::kFlags);
  };
  EXPECT_EQ(find(3), std::nullopt);
  EXPECT_EQ(find(303), (V8Position{.script_offset = 100}));
  EXPECT_EQ(find(304), (V8Position{.script_offset = 20}));
}

TEST(V8PositionsTest, BaselineCodeLeadsToItsBytecode) {
  // Bytecode 4 has a length of 1, 5 of 2 (3 if wide); 0 is the prefix "wide".
  const std::vector<uint8_t> sizes = {1,
                                      1,
                                      1,
                                      1,
                                      1,
                                      2,
                                      /*wide*/ 1,
                                      1,
                                      1,
                                      1,
                                      1,
                                      3,
                                      /*extra wide*/ 1,
                                      1,
                                      1,
                                      1,
                                      1,
                                      5};
  const std::string bytecodes("\x04\x05\x00\x00\x05\x00\x00\x04", 8);
  std::string table;
  for (const uint64_t length : {20, 10, 10, 200, 5})
    AppendNumber(length, &table);
  const auto find = [&](uint64_t code_offset) {
    return FindV8BytecodeOffset({.table = table,
                                 .bytecodes = bytecodes,
                                 .bytecode_sizes = sizes,
                                 .code_offset = code_offset});
  };
  EXPECT_EQ(find(1), 0u);
  EXPECT_EQ(find(30), 0u);
  EXPECT_EQ(find(31), 1u);
  EXPECT_EQ(find(41), 3u);
  EXPECT_EQ(find(240), 3u);
  EXPECT_EQ(find(241), 7u);
  EXPECT_EQ(find(246), std::nullopt);
}

TEST(V8ScriptTest, LinesAndColumnsCountFromOne) {
  const V8Script script = {.line_ends = {3, 4, 10}};
  EXPECT_EQ(script.LineOf(0).line, 1);
  EXPECT_EQ(script.LineOf(3).column, 4);
  EXPECT_EQ(script.LineOf(4).line, 2);
  EXPECT_EQ(script.LineOf(6).line, 3);
  EXPECT_EQ(script.LineOf(6).column, 2);
  EXPECT_EQ(script.LineOf(11).line, 0);
  EXPECT_EQ(script.LineOf(-1).line, 0);
}

TEST(V8ScriptTest, FileUrlsBecomePaths) {
  EXPECT_EQ(V8ScriptPath("file:///srv/a%20b.mjs"), "/srv/a b.mjs");
  EXPECT_EQ(V8ScriptPath("file:///srv/100%"), "/srv/100%");
  EXPECT_EQ(V8ScriptPath("node:internal/timers"), "node:internal/timers");
}

TEST(V8LayoutTest, UnknownVersionIsNamed) {
  const auto layout = MakeV8Layout({.major = 42, .minor = 1, .build = 2, .patch = 3}, {});
  EXPECT_EQ(layout.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_NE(layout.status().message().find("42.1.2.3"), absl::string_view::npos);
}

TEST(V8LayoutTest, MissingSymbolIsNamed) {
  const auto layout = MakeV8Layout({.major = 11, .minor = 3}, {});
  EXPECT_EQ(layout.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(layout.status().message().find("v8dbg_type_JSFunction__JS_FUNCTION_TYPE"),
            absl::string_view::npos);
}

}  // namespace
}  // namespace flarestack::record::runtime
